// Stub for a build without CUDA.
#include "native/arith/cuda/kernels.h"

#include <stdexcept>

namespace ordercheck::ranks {

const Kernels& cuda_kernels() { throw std::runtime_error("exact kernels on a GPU: this program was built without CUDA"); }

}  // namespace ordercheck::ranks
