// Transforms that nothing is known of for the target. A check that finds nothing against them has not judged them.
#pragma once

#include <vector>

#include "check/check.h"

namespace ordercheck {

// Each transform of the stack that the judge does not know, with what the pages of other projects find in this stack. In the
// order of the stack, one a transform.
std::vector<Unknown> unknown_in(const Stack& stack, const Judge& judge);

}  // namespace ordercheck
