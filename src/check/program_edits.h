// A cure in the words of the program that it is done to.
#pragma once

#include <string>
#include <vector>

#include "stack/stack.h"

namespace ordercheck {

// What somebody changes in a program that builds the left stack to have the right one, a sentence each without its full stop:
// "pass use_reentrant=False to checkpoint". The texts are the glossary's; an option, a scope or a transform that it has none for
// is left out, and so is what only changes places.
std::vector<std::string> program_edits(const Stack& left, const Stack& right);

}  // namespace ordercheck
