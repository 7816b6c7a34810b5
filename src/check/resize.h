// Other numbers for a stack whose numbers do not fit, as a fits page says.
#pragma once

#include <vector>

#include "check/check.h"
#include "stack/stack.h"

namespace ordercheck {

// The nearest degrees and counts that the page of `fired` has nothing against: of the items that it fired on, or where it is about
// the mesh as a whole of any item. One number is changed, two where no one alone will do; less far before further, a smaller degree
// before a larger one, and a larger count (more microbatches keep the ranks).
std::vector<Stack> resized(const Fired& fired, const Stack& stack, const Judge& judge);

}  // namespace ordercheck
