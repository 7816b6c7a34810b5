// Replaces operators on tensor lists by one call per tensor.
#pragma once

#include <torch/library.h>

namespace ordercheck::ranks {

// Registers a kernel at `key` for each _foreach_ operator that has a stock kernel but no exact kernel there. It calls the
// operator's per-tensor form, whose kernel is exact. `aten` must be a library that registers at `key`.
void take_lists_one_by_one(torch::Library& aten, c10::DispatchKey key);

}  // namespace ordercheck::ranks
