#include "stack/caret.h"

#include <algorithm>

#include <fmt/format.h>

namespace ordercheck {
namespace {

constexpr std::size_t kBefore = 40, kAfter = 60, kWord = 40;

std::string printable(std::string_view text) {
  std::string shown(text);
  for (char& c : shown)
    if (c < ' ' || c > '~') c = '?';
  return shown;
}

}  // namespace

Error error_at(std::string_view text, Span where, const std::string& message) {
  const std::size_t begin = std::min(where.begin, text.size());
  const std::size_t end = std::clamp(where.end, begin, text.size());
  const std::size_t from = begin > kBefore ? begin - kBefore : 0;
  const std::size_t to = std::min(text.size(), begin + kAfter);

  std::string line = from > 0 ? "..." : "";
  const std::size_t indent = line.size() + begin - from;
  line += printable(text.substr(from, to - from));
  if (to < text.size()) line += "...";
  const std::size_t marked = std::max<std::size_t>(1, std::min(end, to) - begin);
  return {fmt::format("{}\n  {}\n  {}^{}", message, line, std::string(indent, ' '), std::string(marked - 1, '~'))};
}

std::string in_quotes(std::string_view word) {
  const bool cut = word.size() > kWord;
  return "'" + printable(word.substr(0, kWord)) + (cut ? "..." : "") + "'";
}

}  // namespace ordercheck
