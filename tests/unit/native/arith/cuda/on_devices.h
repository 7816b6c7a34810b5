// One body of a test for the host, which runs a kernel's functor in a loop, and for a GPU, which launches it. Where there is no GPU
// the second is skipped and says why.
#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "native/arith/cuda/devices.h"

namespace ordercheck::ranks {

class OnDevices : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (device().is_cpu()) return;
    const Devices here = devices_here();
    if (here.gpus == 0) GTEST_SKIP() << (here.absent.empty() ? "built without CUDA" : here.absent);
  }
  static at::Device device() { return at::Device(GetParam()); }
  // As it lies on the host: strides, and the distance to a storage's begin.
  static at::Tensor moved(const at::Tensor& x) {
    if (device().is_cpu()) return x;
    const at::Tensor whole =
        at::empty({0}, x.options()).set_(x.storage(), 0, {static_cast<int64_t>(x.storage().nbytes()) / x.element_size()}, {1});
    return whole.to(device()).as_strided(x.sizes(), x.strides(), x.storage_offset());
  }
};

inline std::string name_of_device(const testing::TestParamInfo<const char*>& info) { return info.param; }

// Contiguous, from the second element of its memory on, strided, transposed, of odd length, of one element and of none.
inline std::vector<at::Tensor> layouts_of(const at::Tensor& line) {
  const int64_t n = line.numel(), rows = 7, columns = n / rows / 2;
  return {line,
          line.narrow(0, 1, n - 1),
          line.narrow(0, 0, n / 2 * 2).view({n / 2, 2}).select(1, 1),
          line.narrow(0, 0, rows * columns).view({rows, columns}).t(),
          line.narrow(0, 3, 2 * rows * columns - 3).narrow(0, 0, rows * columns).view({columns, rows}),
          line.narrow(0, 5, 1),
          line.narrow(0, 0, 0)};
}

}  // namespace ordercheck::ranks
