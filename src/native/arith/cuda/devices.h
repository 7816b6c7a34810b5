// Reports the GPUs of this machine and the versions of their libraries.
#pragma once

#include <string>
#include <vector>

namespace ordercheck::ranks {

struct Devices {
  int gpus = 0;
  // The driver's error if there is no GPU: "no CUDA device: no CUDA-capable device is detected". Empty if there is one, and in
  // a build without CUDA.
  std::string absent;
};

// Queries the driver once, in a child process: after a driver call, a process cannot fork ranks that use a GPU. Call it from
// the main thread before starting other threads.
const Devices& devices_here();

// Returns the library versions for a record: "cuda 13.0", "cublas 13.1.0" and "CUBLAS_EMULATE_DOUBLE_PRECISION=0". Empty in a
// build without CUDA.
std::vector<std::string> gpu_versions();

}  // namespace ordercheck::ranks
