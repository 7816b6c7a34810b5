#include "native/arith/cuda/toolkit/launches.h"

namespace ordercheck::ranks {
namespace {

__global__ void add_blocks(ByteHash hash, std::int64_t count) {
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += threads) hash(i);
}

struct Start {
  std::uint64_t of[kHashLanes];
};

__global__ void go_along_blocks(ByteHash hash, Start start, std::uint64_t* accumulators) {
  accumulators[threadIdx.x] = hash.accumulated(threadIdx.x, start.of[threadIdx.x]);
}

}  // namespace

cudaError_t launch_byte_hash(const ByteHash& hash, void* room, cudaStream_t stream, std::uint64_t* accumulators) {
  const std::int64_t count = hash.blocks() * kHashLanes;
  add_blocks<<<fold_blocks(count), kFoldThreads, 0, stream>>>(hash, count);
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) return error;
  Start start;
  for (std::int64_t lane = 0; lane < kHashLanes; ++lane) start.of[lane] = kHashStart[lane];
  // Scrambling is sequential over blocks: use one thread per accumulator.
  go_along_blocks<<<1, kHashLanes, 0, stream>>>(hash, start, static_cast<std::uint64_t*>(room));
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) return error;
  if (const cudaError_t error =
          cudaMemcpyAsync(accumulators, room, kHashLanes * sizeof(std::uint64_t), cudaMemcpyDeviceToHost, stream);
      error != cudaSuccess)
    return error;
  return cudaStreamSynchronize(stream);
}

}  // namespace ordercheck::ranks
