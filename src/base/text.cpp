#include "base/text.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <numeric>

namespace ordercheck {
namespace {

// Optimal string alignment: Levenshtein plus a swap of adjacent letters as one edit, because "fdsp" is one typo from "fsdp".
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t start = 0;;) {
    const std::size_t end = text.find(separator, start);
    parts.emplace_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n\f\v";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string joined;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) joined += separator;
    joined += parts[i];
  }
  return joined;
}

std::string lower(std::string_view text) {
  std::string small(text);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return small;
}

std::string one_line(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string line;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n')
      line += "\\n";
    else if (c == '\t')
      line += "\\t";
    else if (byte < ' ' || byte == 0x7f)
      line += {'\\', 'x', kHex[byte / 16], kHex[byte % 16]};
    else
      line += c;
  }
  return line;
}

std::optional<long long> parse_integer(std::string_view text) {
  long long value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc{} || stopped != end) return std::nullopt;
  return value;
}

bool is_date(std::string_view text) {
  constexpr std::string_view kShape = "dddd-dd-dd";
  if (text.size() != 4 && text.size() != 7 && text.size() != kShape.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (kShape[i] == 'd' ? (text[i] < '0' || text[i] > '9') : text[i] != '-') return false;
  const auto number = [&](std::size_t at, std::size_t digits) {
    return static_cast<int>(*parse_integer(text.substr(at, digits)));
  };
  const std::chrono::year year(number(0, 4));
  const std::chrono::month month(text.size() < 7 ? 1U : static_cast<unsigned>(number(5, 2)));
  const std::chrono::day day(text.size() < kShape.size() ? 1U : static_cast<unsigned>(number(8, 2)));
  return std::chrono::year_month_day(year, month, day).ok();
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::size_t allowed = std::max<std::size_t>(1, word.size() / 3);
  const std::string* best = nullptr;
  for (const std::string& candidate : candidates) {
    const std::size_t apart = word.size() > candidate.size() ? word.size() - candidate.size() : candidate.size() - word.size();
    if (apart > allowed) continue;  // also bounds the cost for a very long word
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < allowed || (distance == allowed && best == nullptr)) {
      best = &candidate;
      allowed = distance;
    }
  }
  return best == nullptr ? std::nullopt : std::optional(*best);
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known, std::string_view others) {
  if (const auto near = nearest(word, known)) return "did you mean '" + *near + "'?";
  return std::string(others) + join(known, ", ");
}

bool glob_match(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;  // the last star takes one more character
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace ordercheck
