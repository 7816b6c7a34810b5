// Text helpers that know no domain word.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ordercheck {

std::vector<std::string> split(std::string_view text, char separator);  // "a,,b" gives "a", "", "b"; "" gives ""
std::string_view trim(std::string_view text);
std::string join(const std::vector<std::string>& parts, std::string_view separator);

// The text without control characters, for a message: a line break is written \n, a tab \t, others \xNN.
std::string one_line(std::string_view text);

// A whole decimal integer with nothing around it, within long long; otherwise nothing.
std::optional<long long> parse_integer(std::string_view text);

// The candidate nearest to `word` by edit distance, if it is near enough to be a slip of the finger (at most a third
// of the word's letters, at least one). Ties go to the earlier candidate.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

// `*` matches any run of characters, also an empty one; everything else matches itself.
bool glob_match(std::string_view pattern, std::string_view text);

}  // namespace ordercheck
