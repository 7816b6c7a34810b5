// Which devices the worker finds on this machine, and what it computes with there.
#pragma once

#include <string>
#include <vector>

namespace ordercheck::ranks {

struct Devices {
  int gpus = 0;
  // Why there is no GPU, in the driver's own words: "no CUDA device: no CUDA-capable device is detected". "" where there is one,
  // and in a program that was built for none.
  std::string absent;
};

// Asks the driver in a process of its own, once: who has asked it cannot fork ranks that use a GPU. Called by the main thread before
// there is another.
const Devices& devices_here();

// Of the libraries that a GPU's numbers come from, as a record's versions have them: "cuda 13.0", "cublas 13.1.0", "nccl 2.28.9",
// and how float64 is multiplied, "CUBLAS_EMULATE_DOUBLE_PRECISION=0". None in a program that was built without CUDA.
std::vector<std::string> gpu_versions();

}  // namespace ordercheck::ranks
