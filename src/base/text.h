// Provides text helpers without domain knowledge.
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

std::string lower(std::string_view text);  // ASCII letters only

// Escapes control characters for a message: \n, \t, others \xNN.
std::string one_line(std::string_view text);

// Parses a whole decimal long long without surrounding characters; nullopt if the text is anything else.
std::optional<long long> parse_integer(std::string_view text);

// Whether the text is a calendar date: "2025", "2025-08" or "2025-08-13".
bool is_date(std::string_view text);

// The nearest candidate by edit distance, nullopt if it is too far off for a typo (more than a third of the letters, at least
// one). Ties go to the earlier candidate.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

// The hint for an unknown word: "did you mean 'compile'?" if a known word is near, else `others` and all known words.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known, std::string_view others = "known: ");

// Whether `values` has `value`: std::ranges::contains of C++23.
template <class Values, class Value>
bool contains(const Values& values, const Value& value) {
  return std::ranges::find(values, value) != std::ranges::end(values);
}

// `*` matches any run of characters, also an empty one. Every other character matches itself.
bool glob_match(std::string_view pattern, std::string_view text);

}  // namespace ordercheck
