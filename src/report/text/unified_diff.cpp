#include "report/text/unified_diff.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

namespace ordercheck {
namespace {

constexpr std::size_t kContext = 3;

struct Edit {
  char sign;  // ' ', '-', '+'
  std::string_view line;
};

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

using Lines = std::vector<std::string_view>;

// length[i][j] is the length of the longest common subsequence of a[i..] and b[j..].
std::vector<std::vector<std::uint32_t>> lengths(const Lines& a, const Lines& b) {
  std::vector<std::vector<std::uint32_t>> length(a.size() + 1, std::vector<std::uint32_t>(b.size() + 1, 0));
  for (std::size_t i = a.size(); i-- > 0;)
    for (std::size_t j = b.size(); j-- > 0;)
      length[i][j] = a[i] == b[j] ? length[i + 1][j + 1] + 1 : std::max(length[i + 1][j], length[i][j + 1]);
  return length;
}

std::vector<Edit> edits(Lines a, Lines b) {
  std::vector<Edit> made;
  std::size_t head = 0, tail = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) made.push_back({' ', a[head++]});
  while (head + tail < a.size() && head + tail < b.size() && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  const Lines same(a.end() - static_cast<std::ptrdiff_t>(tail), a.end());
  const auto middle = [&](const Lines& of) {
    return Lines(of.begin() + static_cast<std::ptrdiff_t>(head), of.end() - static_cast<std::ptrdiff_t>(tail));
  };
  a = middle(a);
  b = middle(b);
  const auto length = lengths(a, b);
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      made.push_back({' ', a[i++]});
      ++j;
    } else if (i < a.size() && (j == b.size() || length[i + 1][j] >= length[i][j + 1])) {
      made.push_back({'-', a[i++]});
    } else {
      made.push_back({'+', b[j++]});
    }
  }
  for (const std::string_view line : same) made.push_back({' ', line});
  return made;
}

// Half-open ranges of edits to print: changes with context, merged if they touch.
std::vector<std::pair<std::size_t, std::size_t>> hunks(const std::vector<Edit>& all) {
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  for (std::size_t at = 0; at < all.size(); ++at) {
    if (all[at].sign == ' ') continue;
    const std::size_t begin = at < kContext ? 0 : at - kContext, end = std::min(all.size(), at + kContext + 1);
    if (!ranges.empty() && begin <= ranges.back().second)
      ranges.back().second = end;
    else
      ranges.push_back({begin, end});
  }
  return ranges;
}

}  // namespace

std::string unified_diff(std::string_view before, std::string_view after, std::string_view path) {
  if (before == after) return "";
  const std::vector<Edit> all = edits(lines_of(before), lines_of(after));
  std::string text = fmt::format("--- {}\n+++ {}\n", path, path);
  std::size_t at = 0, old_line = 1, new_line = 1;
  const auto step = [&](const Edit& edit) {
    old_line += edit.sign != '+';
    new_line += edit.sign != '-';
  };
  for (const auto& [begin, end] : hunks(all)) {
    for (; at < begin; ++at) step(all[at]);
    const std::size_t old_first = old_line, new_first = new_line;
    std::string body;
    for (; at < end; ++at) {
      step(all[at]);
      body += fmt::format("{}{}\n", all[at].sign, all[at].line);
    }
    const auto span = [](std::size_t first, std::size_t behind) {
      return fmt::format("{},{}", behind == first ? first - 1 : first, behind - first);
    };
    text += fmt::format("@@ -{} +{} @@\n{}", span(old_first, old_line), span(new_first, new_line), body);
  }
  return text;
}

}  // namespace ordercheck
