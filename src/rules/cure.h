// Applies a rule page's own repair to a user's stack: the edit that turns the page's bad example stack into its good one.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rules/check.h"
#include "stack/stack.h"

namespace ordercheck {

// Returns the stack with item number `item` moved right before or right after item number `other`.
Stack moved(const Stack& stack, std::size_t item, std::size_t other, bool behind);
Stack without(const Stack& stack, std::size_t item);
Stack with(const Stack& stack, std::size_t place, const Item& item);

// Applies the edit between the page's bad and good example stack to the items `fired` of `stack`. They keep their degrees and
// everything else that the page does not change. The edit may set or remove an option or scope, reorder items, replace one or
// two, add or drop one. Returns several stacks if an added item may go to several positions. The stacks are not checked
// against the rules. Empty if the page's two stacks differ only in sizes, because its numbers do not fit another stack.
std::vector<Stack> cures_by_page(const Rule& rule, const WitnessParts& witness, const std::vector<std::size_t>& fired,
                                 const Stack& stack);

// The changes to a user's PyTorch program that turn the left stack into the right one, as sentences without full stop: "pass
// use_reentrant=False to checkpoint". The sentences come from the glossary. Omits reordering, and changes without a sentence
// there.
std::vector<std::string> program_edits(const Stack& left, const Stack& right);

}  // namespace ordercheck
