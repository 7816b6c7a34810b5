// Puts the exact kernels, and a refusal for every operator that has none and may need one, in place of ATen's CPU kernels.
#pragma once

#include <set>
#include <string>

namespace ordercheck::ranks {

// Once a process, at the first call; before any rank runs. What is installed acts only while exactness is on (exactness.h).
void install_exact_kernels();

// The operators of ATen that have an exact kernel, with overloads ("mm.out"), without "aten::".
const std::set<std::string>& exact_kernels();

}  // namespace ordercheck::ranks
