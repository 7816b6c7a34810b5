// Stub for a build without CUDA.
#include "native/arith/cuda/prepare_gpu.h"

namespace ordercheck::ranks {

std::string settle_environment() { return ""; }

std::string prepare_gpu(int) { return "no CUDA device: this program was built without CUDA"; }

}  // namespace ordercheck::ranks
