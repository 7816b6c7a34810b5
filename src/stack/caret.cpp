#include "stack/caret.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/displayable.h"
#include "base/text.h"

namespace ordercheck {
namespace {

constexpr std::size_t kBefore = 40, kAfter = 60, kWord = 40;

// On one line: a line break is shown as what it is written by.
std::string printable(std::string_view text) { return one_line(displayable(text)); }

bool continues_a_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// How many columns a terminal gives it: one a character, not one a byte.
std::size_t columns(std::string_view shown) {
  return static_cast<std::size_t>(std::ranges::count_if(shown, [](char c) { return !continues_a_character(c); }));
}

// The nearest place at or before `at` that cuts no character in two.
std::size_t cut_at(std::string_view text, std::size_t at) {
  while (at > 0 && at < text.size() && continues_a_character(text[at])) --at;
  return at;
}

}  // namespace

Error error_at(std::string_view text, Span where, const std::string& message, const std::string& cure) {
  const std::size_t begin = cut_at(text, std::min(where.begin, text.size()));
  const std::size_t end = std::clamp(where.end, begin, text.size());
  const std::size_t from = cut_at(text, begin > kBefore ? begin - kBefore : 0);
  const std::size_t to = std::max(begin, cut_at(text, std::min(text.size(), begin + kAfter)));

  const std::string before = (from > 0 ? "..." : "") + printable(text.substr(from, begin - from));
  const std::string marked = printable(text.substr(begin, std::min(end, to) - begin));
  const std::string line = before + printable(text.substr(begin, to - begin)) + (to < text.size() ? "..." : "");
  const std::size_t tail = std::max<std::size_t>(1, columns(marked)) - 1;
  const std::size_t column = columns(printable(text.substr(0, begin))) + 1;
  return {fmt::format("{} at column {}{}\n  {}\n  {}^{}", message, column, cure, line, std::string(columns(before), ' '),
                      std::string(tail, '~'))};
}

std::string in_quotes(std::string_view word) {
  const bool cut = word.size() > kWord;
  return "'" + printable(word.substr(0, cut_at(word, std::min(kWord, word.size())))) + (cut ? "..." : "") + "'";
}

}  // namespace ordercheck
