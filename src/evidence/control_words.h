// What controls say of themselves, where a merge has to say it again of all parts.
#pragma once

#include <string>

namespace ordercheck {

inline constexpr const char* kPlainArithmetic = "plain arithmetic";

// "5 of 5 legal layouts differ from the single-rank reference without the grid".
std::string plain_arithmetic_in_words(long long differ, long long completed);

}  // namespace ordercheck
