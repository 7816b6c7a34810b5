// Exact arithmetic for a test's lifetime, and what tests of its kernels look at.
#pragma once

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>

#include "native/arith/exactness.h"
#include "native/arith/install.h"
#include "native/arith/range.h"
#include "native/arith/same_bits.h"

namespace ordercheck::ranks {

class Exactly {
 public:
  explicit Exactly(int grid = 20, int fan_in = 1) {
    install_exact_kernels();
    reset_range(fan_in);
    set_exact_grid(grid);
  }
  ~Exactly() {
    set_exact_grid(kNotExact);
    reset_range(1);
  }
  Exactly(const Exactly&) = delete;
};

inline at::Tensor noise(at::IntArrayRef sizes, int seed) {
  return at::randn(sizes, at::detail::createCPUGenerator(seed), at::kDouble);
}

// What `computation` was refused with; "" when it was not.
template <typename Computation>
std::string refused(Computation computation) {
  try {
    computation();
  } catch (const Unsupported& refusal) {
    return refusal.what();
  }
  return "";
}

}  // namespace ordercheck::ranks
