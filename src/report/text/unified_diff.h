// Compares two texts line by line as a unified diff.
#pragma once

#include <string>
#include <string_view>

namespace ordercheck {

// "" if they are equal; otherwise "--- path", "+++ path" and hunks with three lines of context. '-' marks lines of `before`.
// Finds the longest common subsequence by dynamic programming after removing the common head and tail.
std::string unified_diff(std::string_view before, std::string_view after, std::string_view path);

}  // namespace ordercheck
