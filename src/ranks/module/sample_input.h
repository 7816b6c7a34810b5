// An argument to trace a model with; its numbers do not matter.
#pragma once

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

struct SampleInput {
  at::Tensor tensor;
  bool has_samples = false;  // its first dim is that of samples
};

}  // namespace ordercheck::ranks
