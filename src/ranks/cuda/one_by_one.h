// Operators on lists of tensors, taken tensor by tensor.
#pragma once

#include <torch/library.h>

namespace ordercheck::ranks {

// For every such operator that has a kernel at `key`, which is that of `aten`, and no exact one: its steps are then exact kernels.
void take_lists_one_by_one(torch::Library& aten, c10::DispatchKey key);

}  // namespace ordercheck::ranks
