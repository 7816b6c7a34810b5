#include "native/arith/cuda/devices.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

namespace ordercheck::ranks {
namespace {

// Returns the CUDA driver's answer as text: the number of GPUs ("2"), or its error.
std::string answer_of_driver() {
  int gpus = 0;
  const cudaError_t found = cudaGetDeviceCount(&gpus);
  if (found == cudaSuccess && gpus > 0) return std::to_string(gpus);
  return cudaGetErrorString(found == cudaSuccess ? cudaErrorNoDevice : found);
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 256> part;
  for (ssize_t count; (count = read(descriptor, part.data(), part.size())) != 0;) {
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
  return text;
}

Devices ask() {
  std::array<int, 2> ends;
  if (pipe(ends.data()) != 0)
    return {.gpus = 0, .absent = "no CUDA device: could not ask, " + std::generic_category().message(errno)};
  // Ask the driver in a child process: after a driver call, a process cannot fork ranks that use a GPU.
  const pid_t asking = fork();
  if (asking == 0) {
    const std::string answer = answer_of_driver();
    const ssize_t told = write(ends[1], answer.data(), answer.size());
    _exit(told == static_cast<ssize_t>(answer.size()) ? 0 : 1);
  }
  close(ends[1]);
  const std::string answer = asking < 0 ? "" : read_all(ends[0]);
  close(ends[0]);
  int status = 0;
  while (asking > 0 && waitpid(asking, &status, 0) < 0 && errno == EINTR) {
  }
  if (answer.empty()) return {.gpus = 0, .absent = "no CUDA device: the process that asked for it died"};
  if (answer.find_first_not_of("0123456789") == answer.npos) return {.gpus = std::atoi(answer.c_str()), .absent = ""};
  return {.gpus = 0, .absent = "no CUDA device: " + answer};
}

}  // namespace

const Devices& devices_here() {
  static const Devices here = ask();
  return here;
}

std::vector<std::string> gpu_versions() {
  int cuda = 0, major = 0, minor = 0, patch = 0;
  cudaRuntimeGetVersion(&cuda);  // needs no driver
  cublasGetProperty(MAJOR_VERSION, &major);
  cublasGetProperty(MINOR_VERSION, &minor);
  cublasGetProperty(PATCH_LEVEL, &patch);
  const char* emulation = std::getenv("CUBLAS_EMULATE_DOUBLE_PRECISION");
  return {fmt::format("cuda {}.{}", cuda / 1000, cuda % 1000 / 10), fmt::format("cublas {}.{}.{}", major, minor, patch),
          fmt::format("CUBLAS_EMULATE_DOUBLE_PRECISION={}", emulation == nullptr ? "" : emulation)};
}

}  // namespace ordercheck::ranks
