// Writes the sentences of findings.
#pragma once

#include <string>
#include <vector>

#include "rules/check.h"
#include "rules/match.h"
#include "rules/rule.h"
#include "stack/stack.h"

namespace ordercheck {

// The finding of a rule that fires on `stack` at `firing`, with all texts but without repairs and without merging implied
// rules.
Finding describe(const Rule& rule, const Firing& firing, const Stack& stack, const Judge& judge);

// What a run of the rule page's bad example stack shows, from the page's [[expect]] entry for the target: "fails while
// applying, \"Cannot distribute a DTensor\"", "other numbers".
std::string shows(const Rule& rule, const Target& target);

// The verdict that the rule page predicts for a run of `stack` on the target.
Verdict shown_verdict(const Rule& rule, const Firing& firing, const Stack& stack, const Target& target);

// Describes an item by what a rule page's pattern requires of it: "compile of blocks", "ac:reentrant", "tp with a plan for the
// embedding (no :plan)". Uses the alternative of the pattern that the item matches.
std::string in_words(const Pattern& pattern, const Item& item);

// All alternatives of the pattern: "fsdp, hsdp or ddp".
std::string any_in_words(const Pattern& pattern);

// A rule page's `when` condition in words: "dp > 1", "heads is no multiple of tp or kv_heads is no multiple of tp". Omits
// parts that the degrees of the items `fired` make obvious (tp > 1 for tp=2). "" if nothing is left or the page has no
// condition.
std::string condition_in_words(const Rule& rule, const std::vector<Item>& fired);

}  // namespace ordercheck
