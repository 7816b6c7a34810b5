// Makes unlisted operators throw Unsupported for floating-point arguments while exactness is on, because they may sum them
// inexactly. Otherwise their stock kernels run.
#pragma once

#include <torch/library.h>

namespace ordercheck::ranks {

// Registers such kernels at `key` for every ATen operator that has a kernel there, takes a tensor, and is neither exact nor
// kept in the table (operators.h). `aten` must be a library that registers at `key`.
void refuse_the_rest(torch::Library& aten, c10::DispatchKey key = c10::DispatchKey::CPU);

}  // namespace ordercheck::ranks
