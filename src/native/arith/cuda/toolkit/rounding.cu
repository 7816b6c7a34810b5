#include "native/arith/cuda/toolkit/launch.cuh"
#include "native/arith/cuda/toolkit/launches.h"

namespace ordercheck::ranks {

cudaError_t launch_rounding(const Rounding& rounding, std::int64_t count, void* room, cudaStream_t stream, GridFit* fit) {
  return fold_on_device(rounding, count, room, stream, fit);
}

cudaError_t launch_root(const Root& root, std::int64_t count, void* room, cudaStream_t stream) {
  GridFit unused;
  return fold_on_device(root, count, room, stream, &unused);
}

}  // namespace ordercheck::ranks
