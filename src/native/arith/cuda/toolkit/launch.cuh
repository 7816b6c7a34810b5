// Runs the functors of this folder in GPU threads: see NOTE [twins] in host_device.h. Each launch returns its CUDA error.
#pragma once

#include <cuda_runtime_api.h>

#include "native/arith/cuda/folding.h"

namespace ordercheck::ranks {

template <typename Fold>
__device__ void fold_block(Fold* folds) {
  __syncthreads();
  for (int width = kFoldThreads / 2; width > 0; width /= 2) {
    take_from_upper_half(folds, static_cast<int>(threadIdx.x), width);
    __syncthreads();
  }
}

template <typename Fold, typename Functor>
__global__ void __launch_bounds__(kFoldThreads) fold_indices(Functor functor, std::int64_t count, Fold* of_blocks) {
  __shared__ Fold folds[kFoldThreads];
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * kFoldThreads + threadIdx.x;
  folds[threadIdx.x] = fold_of_thread<Fold>(functor, count, thread, static_cast<std::int64_t>(gridDim.x) * kFoldThreads);
  fold_block(folds);
  if (threadIdx.x == 0) of_blocks[blockIdx.x] = folds[0];
}

// Uses a block per row. The block's first thread gets the row's total.
template <typename Functor>
__global__ void __launch_bounds__(kFoldThreads)
    fold_rows(Functor functor, std::int64_t rows, typename Functor::Fold* of_blocks) {
  __shared__ typename Functor::Part parts[kFoldThreads];
  typename Functor::Fold found = Functor::Fold::none();
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    parts[threadIdx.x] = functor.part(row, static_cast<int>(threadIdx.x), kFoldThreads);
    fold_block(parts);
    if (threadIdx.x == 0) functor.finish(row, parts[0], found);
    __syncthreads();  // before the next row overwrites parts
  }
  if (threadIdx.x == 0) of_blocks[blockIdx.x] = found;
}

// One block combines all folds into the first.
template <typename Fold>
__global__ void __launch_bounds__(kFoldThreads) fold_of_blocks(Fold* of_blocks, int blocks) {
  __shared__ Fold folds[kFoldThreads];
  folds[threadIdx.x] = Fold::none();
  for (int i = static_cast<int>(threadIdx.x); i < blocks; i += kFoldThreads) folds[threadIdx.x].take(of_blocks[i]);
  fold_block(folds);
  if (threadIdx.x == 0) of_blocks[0] = folds[0];
}

// `room` is device memory for kMostFoldBlocks folds. Waits for the stream.
template <typename Fold>
cudaError_t fetch_fold(Fold* room, int blocks, cudaStream_t stream, Fold* found) {
  fold_of_blocks<<<1, kFoldThreads, 0, stream>>>(room, blocks);
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) return error;
  if (const cudaError_t error = cudaMemcpyAsync(found, room, sizeof(Fold), cudaMemcpyDeviceToHost, stream);
      error != cudaSuccess)
    return error;
  return cudaStreamSynchronize(stream);
}

template <typename Fold, typename Functor>
cudaError_t fold_on_device(const Functor& functor, std::int64_t count, void* room, cudaStream_t stream, Fold* found) {
  const int blocks = fold_blocks(count);
  fold_indices<Fold><<<blocks, kFoldThreads, 0, stream>>>(functor, count, static_cast<Fold*>(room));
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) return error;
  return fetch_fold(static_cast<Fold*>(room), blocks, stream, found);
}

template <typename Functor>
cudaError_t fold_rows_on_device(const Functor& functor, std::int64_t rows, void* room, cudaStream_t stream,
                                typename Functor::Fold* found) {
  using Fold = typename Functor::Fold;
  const int blocks = static_cast<int>(rows < 1 ? 1 : rows < kMostFoldBlocks ? rows : kMostFoldBlocks);
  fold_rows<<<blocks, kFoldThreads, 0, stream>>>(functor, rows, static_cast<Fold*>(room));
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) return error;
  return fetch_fold(static_cast<Fold*>(room), blocks, stream, found);
}

}  // namespace ordercheck::ranks
