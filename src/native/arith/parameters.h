// Rounds parameters to the product grid, when a model is built and after every optimizer step. A parameter divided by a degree
// of up to 16 then still lies on the addition grid, and its parts add up exactly.
#pragma once

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

// Works in place; does nothing while exactness is off. Any thread.
void put_on_grid(at::Tensor parameter);

}  // namespace ordercheck::ranks
