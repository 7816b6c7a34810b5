// Stub for a build without CUDA.
#include "native/arith/cuda/devices.h"

namespace ordercheck::ranks {

const Devices& devices_here() {
  static const Devices none;
  return none;
}

std::vector<std::string> gpu_versions() { return {}; }

}  // namespace ordercheck::ranks
