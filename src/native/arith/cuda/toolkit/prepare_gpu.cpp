#include "native/arith/cuda/prepare_gpu.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <c10/cuda/CUDAFunctions.h>
#include <fmt/format.h>

#include "native/arith/cuda/devices.h"
#include "native/arith/cuda/exact_operators.h"
#include "native/arith/cuda/float64_products.h"

namespace ordercheck::ranks {

std::string settle_environment() { return settle_emulation(); }

std::string prepare_gpu(int gpu) {
  const Devices& here = devices_here();
  if (here.gpus == 0) return here.absent;
  if (gpu >= here.gpus) return fmt::format("no CUDA device {}: {} found", gpu, here.gpus);
  if (std::string emulated = settle_emulation(); !emulated.empty()) return emulated;
  at::globalContext().setAllowTF32CuBLAS(false);
  at::globalContext().setAllowTF32CuDNN(false);
  c10::cuda::set_device(static_cast<c10::DeviceIndex>(gpu));
  const auto multiply = [](const at::Tensor& a, const at::Tensor& b) { return at::mm(a, b); };
  std::string fault =
      fault_of_products(multiply, at::TensorOptions(at::kDouble).device(at::kCUDA, static_cast<c10::DeviceIndex>(gpu)));
  if (fault.empty()) install_exact_operators(c10::DispatchKey::CUDA);
  return fault;
}

}  // namespace ordercheck::ranks
