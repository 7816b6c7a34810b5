// Replaces ATen's CPU kernels by exact kernels, and by refusals for operators that may need an exact kernel and have none.
#pragma once

#include <set>
#include <string>

namespace ordercheck::ranks {

// Installs at the first call in a process. Call before any rank runs. The kernels take effect only while exactness is on
// (exactness.h).
void install_exact_kernels();

// Returns the ATen operators with an exact kernel, with overload ("mm.out") and without "aten::".
const std::set<std::string>& exact_kernels();

}  // namespace ordercheck::ranks
