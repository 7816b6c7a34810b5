// In a program that was built without CUDA.
#include "ranks/cuda/devices.h"

namespace ordercheck::ranks {

const Devices& devices_here() {
  static const Devices none;
  return none;
}

std::vector<std::string> gpu_versions() { return {}; }

}  // namespace ordercheck::ranks
