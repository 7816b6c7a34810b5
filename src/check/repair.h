// Repairs: stacks near a stack that are free of errors.
#pragma once

#include <optional>
#include <vector>

#include "check/check.h"

namespace ordercheck {

// Stacks that one edit against this finding gives, in groups, gentlest first: another order, another degree, an item
// added; then one left out. None of them has been checked.
std::vector<std::vector<Stack>> edits_against(const Finding& finding, const Stack& stack, const Judge& judge);

// A stack without any error: the recommended order, then one edit at a time as long as there are errors and an edit
// leaves fewer. Nothing when that leads nowhere, or when there was no error.
std::optional<Stack> repaired(const Stack& stack, const Judge& judge);

}  // namespace ordercheck
