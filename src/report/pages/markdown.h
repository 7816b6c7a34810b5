// Small pieces of Markdown text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rule/rule.h"

namespace ordercheck {

std::string code(std::string_view text);  // a code span, whatever backticks the text holds; "" of ""
// For a cell whose table else is wider than a page: a browser breaks no stack and no path by itself. Where one is long it may be
// broken behind its commas, colons and slashes; what is copied stays as it is.
std::string breakable_code(std::string_view stack);
std::string breakable(std::string_view text);                       // links and code spans stay whole
std::string thousands(std::int64_t number);                         // "1 234 567"
std::string shortened(std::string_view text, std::size_t at_most);  // cut behind a whole character, with " ..." behind it
std::string cell(std::string_view text);                            // what a table's cell may hold: no bar, no line break
// Joined by commas; a line that would be too long goes on in the next one, behind `indent`.
std::string in_lines(const std::vector<std::string>& parts, std::string_view indent = "");
std::string link_to(const Rule& rule);                  // from a page in docs/: "[ORD-004](../rules/order/fsdp-before-tp.md)"
std::string cited(const Citation& citation);            // "[torchtitan#1554](https://...), 2025-08-13"
std::string source_in_words(const Citation& citation);  // "torchtitan#1554, 2025-08-13"

}  // namespace ordercheck
