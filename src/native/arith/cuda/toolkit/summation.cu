#include "native/arith/cuda/toolkit/launch.cuh"
#include "native/arith/cuda/toolkit/launches.h"

namespace ordercheck::ranks {

cudaError_t launch_summation(const Summation& summation, std::int64_t sums, void* room, cudaStream_t stream,
                             SumExtent* extent) {
  return summation.inner > 1 ? fold_on_device(summation, sums, room, stream, extent)
                             : fold_rows_on_device(summation, sums, room, stream, extent);
}

cudaError_t launch_row_squares(const RowSquares& squares, std::int64_t rows, void* room, cudaStream_t stream,
                               Largest* largest) {
  return fold_on_device(squares, rows, room, stream, largest);
}

}  // namespace ordercheck::ranks
