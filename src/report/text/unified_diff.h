// Two texts line by line, as a unified diff.
#pragma once

#include <string>
#include <string_view>

namespace ordercheck {

// "" when they are equal; otherwise "--- path", "+++ path" and hunks with three lines of context. What stands behind '-'
// is `before`. The longest common subsequence by dynamic programming, after the common head and tail are taken off.
std::string unified_diff(std::string_view before, std::string_view after, std::string_view path);

}  // namespace ordercheck
