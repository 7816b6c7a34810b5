// Text helpers that know no domain word.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ordercheck {

std::vector<std::string> split(std::string_view text, char separator);  // "a,,b" gives "a", "", "b"; "" gives ""
std::string_view trim(std::string_view text);
std::string join(const std::vector<std::string>& parts, std::string_view separator);

std::string lower(std::string_view text);  // ASCII letters as small ones

// The text without control characters, for a message: a line break is written \n, a tab \t, others \xNN.
std::string one_line(std::string_view text);

// A whole decimal integer with nothing around it, within long long; otherwise nothing.
std::optional<long long> parse_integer(std::string_view text);

// A year, a month of it or a day, of those that there are: "2025", "2025-08", "2025-08-13".
bool is_date(std::string_view text);

// The candidate nearest to `word` by edit distance, if it is near enough to be a slip of the finger (at most a third
// of the word's letters, at least one). Ties go to the earlier candidate.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

// What to say of a word that is none of those known: "did you mean 'compile'?" of one near to it, else `others` and all of
// them.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known, std::string_view others = "known: ");

// Whether one of them is `value`: std::ranges::contains of C++23.
template <class Values, class Value>
bool contains(const Values& values, const Value& value) {
  return std::ranges::find(values, value) != std::ranges::end(values);
}

// `*` matches any run of characters, also an empty one; everything else matches itself.
bool glob_match(std::string_view pattern, std::string_view text);

}  // namespace ordercheck
