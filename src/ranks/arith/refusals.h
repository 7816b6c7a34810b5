// Operators that are on no list: with exactness on they are refused where they are handed floating-point numbers, since they
// may sum them; else their stock kernel is called.
#pragma once

#include <torch/library.h>

namespace ordercheck::ranks {

// For every operator of ATen with a kernel at the dispatch key `key`, which is that of `aten`, and a tensor among its arguments that
// the table (operators.h) does not name.
void refuse_the_rest(torch::Library& aten, c10::DispatchKey key = c10::DispatchKey::CPU);

}  // namespace ordercheck::ranks
