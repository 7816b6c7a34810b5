// The smallest part of a stack that is still in error.
#pragma once

#include <optional>

#include "check/check.h"

namespace ordercheck {

// The smallest subsequence that raises an error which the whole raises too; of several, the one whose items come first.
// A contradiction among order rules (no order keeps them all) is looked for first, since no smaller part explains it.
// Nothing when the stack has no error.
std::optional<Conflict> smallest_conflict(const Stack& stack, const Judge& judge);

}  // namespace ordercheck
