// The exponentials of attention's scores.
#pragma once

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

// As exponentials() of softmax.h gives them for the last dim of a contiguous tensor, to the bit, and the largest of each row.
struct SeenExponentials {
  at::Tensor largest, values, sum;
};
SeenExponentials seen_exponentials(const at::Tensor& scores, const char* what);

}  // namespace ordercheck::ranks
