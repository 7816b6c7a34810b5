// Checks a stack with options whose values are unknown ("open"): code computes them, or a stack seldom says them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "rules/check.h"
#include "stack/stack.h"

namespace ordercheck::cli {

// For each item, its open options: "unknown", or "other" if the value cannot be written in the notation.
using OpenOptions = std::vector<std::map<std::string, std::string>>;

// Checks the stack once per value of each open option, to which it adds those of OptionInfo::unsaid_if. A finding for all
// values is kept. A finding for some values becomes advice that begins with "if ...". If the option's value cannot be written
// in the notation, only findings for all values are kept.
Report check_with_open_options(const Stack& stack, const OpenOptions& open, const Judge& judge);

}  // namespace ordercheck::cli
