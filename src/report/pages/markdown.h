// Formats small pieces of Markdown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rule.h"

namespace ordercheck {

std::string code(std::string_view text);  // a code span for text with any backticks; "" for ""
// A code span for a table cell. If the text is long, adds line break opportunities after commas, colons, plus signs and slashes, because
// browsers do not break stacks and paths. Copied text stays unchanged.
std::string breakable_code(std::string_view stack);
std::string breakable(std::string_view text);                       // keeps links and code spans whole
std::string thousands(std::int64_t number);                         // "1 234 567"
std::string shortened(std::string_view text, std::size_t at_most);  // cut at a character boundary, with " ..." appended
std::string cell(std::string_view text);                            // escapes bars and removes line breaks, for a table cell
// Breaks the text at blanks into lines of at most 160 characters, if it has blanks; continuation lines begin with `indent`.
std::string in_lines(std::string_view text, std::string_view indent = "");
std::string link_to(const Rule& rule);                  // for a page in docs/: "[ORD-004](../rules/order/fsdp-before-tp.md)"
std::string cited(const Citation& citation);            // "[torchtitan#1554](https://...), 2025-08-13"
std::string source_in_words(const Citation& citation);  // "torchtitan#1554, 2025-08-13"

}  // namespace ordercheck
