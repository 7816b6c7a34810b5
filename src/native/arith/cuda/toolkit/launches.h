// Declares the launches of the .cu files for sources that include LibTorch.
//
// `room` is device memory of kLaunchRoom bytes. Each launch waits for its stream and returns its result on the host.
#pragma once

#include <cuda_runtime_api.h>

#include "native/arith/cuda/bit_difference.h"
#include "native/arith/cuda/byte_hash.h"
#include "native/arith/cuda/folding.h"
#include "native/arith/cuda/rounding.h"
#include "native/arith/cuda/summation.h"

namespace ordercheck::ranks {

inline constexpr std::size_t kLaunchRoom = kMostFoldBlocks * 16;
static_assert(sizeof(GridFit) <= 16 && sizeof(SumExtent) <= 16 && sizeof(Largest) <= 16 && sizeof(FirstPlace) <= 16);

cudaError_t launch_rounding(const Rounding& rounding, std::int64_t count, void* room, cudaStream_t stream, GridFit* fit);
cudaError_t launch_root(const Root& root, std::int64_t count, void* room, cudaStream_t stream);
cudaError_t launch_summation(const Summation& summation, std::int64_t sums, void* room, cudaStream_t stream, SumExtent* extent);
cudaError_t launch_row_squares(const RowSquares& squares, std::int64_t rows, void* room, cudaStream_t stream, Largest* largest);
cudaError_t launch_bit_difference(const void* a, const void* b, std::int64_t count, int element_size, void* room,
                                  cudaStream_t stream, FirstPlace* first);
cudaError_t launch_byte_hash(const ByteHash& hash, void* room, cudaStream_t stream, std::uint64_t* accumulators);

}  // namespace ordercheck::ranks
