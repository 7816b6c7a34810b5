// Parameters lie on the grid of products: as a model is built, and after every step of its optimizer. A parameter that a layout
// divides by a degree of up to 16 is then still on the grid of additions, and its parts add up to it.
#pragma once

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

// In place; nothing while exactness is off. Any thread.
void put_on_grid(at::Tensor parameter);

}  // namespace ordercheck::ranks
