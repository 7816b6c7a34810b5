#include "native/arith/cuda/toolkit/launch.cuh"
#include "native/arith/cuda/toolkit/launches.h"

namespace ordercheck::ranks {
namespace {

template <typename Word>
cudaError_t launch(const void* a, const void* b, std::int64_t count, void* room, cudaStream_t stream, FirstPlace* first) {
  return fold_on_device(BitDifference<Word>{static_cast<const Word*>(a), static_cast<const Word*>(b)}, count, room, stream,
                        first);
}

}  // namespace

cudaError_t launch_bit_difference(const void* a, const void* b, std::int64_t count, int element_size, void* room,
                                  cudaStream_t stream, FirstPlace* first) {
  switch (element_size) {
    case 1: return launch<std::uint8_t>(a, b, count, room, stream, first);
    case 2: return launch<std::uint16_t>(a, b, count, room, stream, first);
    case 4: return launch<std::uint32_t>(a, b, count, room, stream, first);
    default: return launch<std::uint64_t>(a, b, count, room, stream, first);
  }
}

}  // namespace ordercheck::ranks
