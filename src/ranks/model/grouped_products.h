// Products of groups of rows with matrices of their own, as one operator, like torch._grouped_mm: how many rows a group has is read
// inside, so that a graph can hold the call whatever the counts are.
#pragma once

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

// rows [rows, in] sorted by group, matrices [groups, out, in], counts int64 [groups] of rows, which may be 0. Output [rows, out]:
// each row times its group's matrix, transposed. Differentiable in rows and matrices.
at::Tensor grouped_products(const at::Tensor& rows, const at::Tensor& matrices, const at::Tensor& counts);

}  // namespace ordercheck::ranks
