// Provides an argument for tracing a model; its values do not matter.
#pragma once

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

struct SampleInput {
  at::Tensor tensor;
  bool has_samples = false;  // the first dim is the sample dim
};

}  // namespace ordercheck::ranks
