// Repairs: stacks near a stack that are free of errors.
#pragma once

#include <optional>
#include <vector>

#include "check/check.h"

namespace ordercheck {

// Stacks that one edit against this finding gives, in groups, gentlest first: the page's own cure; then another order,
// another degree, an item added; then one left out. None of them has been checked.
std::vector<std::vector<Stack>> edits_against(const Finding& finding, const Stack& stack, const Judge& judge);

// At most three stacks that this rule does not fire on and that are without any error, gentlest and smallest change first:
// edits against the finding, and where other errors stand beside it, those mended too. Leaving a transform out is tried
// where it is one way out of an error among several (a clash, a need, an effect) or nothing else helps.
std::vector<Stack> tries_against(const Finding& finding, const Stack& stack, const Judge& judge);

// A stack without any error: the recommended order, then one edit at a time, the gentlest that leaves fewer errors. Nothing
// when that leads nowhere, or when there was no error.
std::optional<Stack> repaired(const Stack& stack, const Judge& judge);

}  // namespace ordercheck
