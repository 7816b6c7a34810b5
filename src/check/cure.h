// A page's own cure, done to somebody's stack: what turns the page's bad stack into its good one.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "check/check.h"
#include "stack/stack.h"

namespace ordercheck {

// `item` of the stack taken out and put back right before or right behind item `other`.
Stack moved(const Stack& stack, std::size_t item, std::size_t other, bool behind);
Stack without(const Stack& stack, std::size_t item);
Stack with(const Stack& stack, std::size_t place, const Item& item);

// The edit between the page's two stacks (an option or a scope set or taken away, items put in another order, another
// transform in the place of one or two, one added or dropped), done to the items `fired` of the stack, which keep their
// degrees and whatever else the page does not change. Several where the page does not say at which place; none of them
// has been checked. Empty where the page changes nothing but sizes, which is no edit that another stack could take
// over.
std::vector<Stack> cures_by_page(const Rule& rule, const WitnessParts& witness, const std::vector<std::size_t>& fired,
                                 const Stack& stack);

// A cure in the words of the program that it is done to.

// What somebody changes in a program that builds the left stack to have the right one, a sentence each without its full stop:
// "pass use_reentrant=False to checkpoint". The texts are the glossary's; an option, a scope or a transform that it has none for
// is left out, and so is what only changes places.
std::vector<std::string> program_edits(const Stack& left, const Stack& right);

}  // namespace ordercheck
