// The conditions of a pattern and of a page, in words.
#pragma once

#include <string>
#include <vector>

#include "rule/rule.h"
#include "stack/stack.h"

namespace ordercheck {

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
