// Finds the smallest part of a stack that still has an error finding.
#pragma once

#include <optional>

#include "rules/check.h"

namespace ordercheck {

// The smallest subsequence of the stack's items on which an error rule of the whole stack still fires; of equally small ones,
// the one with the earliest items. If the order rules contradict each other (no order satisfies all), returns the
// contradicting items instead. nullopt if the stack has no error.
std::optional<Conflict> smallest_conflict(const Stack& stack, const Judge& judge);

}  // namespace ordercheck
