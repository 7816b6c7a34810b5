// The words of a finding.
#pragma once

#include <string>
#include <vector>

#include "check/check.h"
#include "rule/match.h"
#include "rule/rule.h"
#include "stack/stack.h"

namespace ordercheck {

// A finding without repair and folding.
Finding describe(const Rule& rule, const Firing& firing, const Stack& stack, const Judge& judge);

// "fails while applying, \"Cannot distribute a DTensor\"", "other numbers": what running the witness shows, with what the
// page pins for the target.
std::string shows(const Rule& rule, const Target& target);

// What the page says that the items of the firing show on the target.
Verdict shown_verdict(const Rule& rule, const Firing& firing, const Stack& stack, const Target& target);

// The conditions of a pattern and of a page, in words.

// The item as the pattern asks for it: "compile of blocks", "ac:reentrant", "tp with a plan for the embedding (no
// :plan)". Of a pattern with alternatives, the one that the item matches; what the pattern does not ask for is left
// out.
std::string in_words(const Pattern& pattern, const Item& item);

// All that the pattern takes: "fsdp, hsdp or ddp".
std::string any_in_words(const Pattern& pattern);

// A page's condition: "dp > 1", "heads is no multiple of tp or kv_heads is no multiple of tp". Without what the items
// that the page fires on say themselves, such as tp > 1 of tp=2; "" where nothing is left, or there is no condition.
std::string condition_in_words(const Rule& rule, const std::vector<Item>& fired);

}  // namespace ordercheck
