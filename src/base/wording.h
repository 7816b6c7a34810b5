// Counts and numbers as a message says them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace ordercheck {

// "1 case", "2 cases"; of an irregular plural both forms: counted(2, "piece of advice", "pieces of advice").
std::string counted(std::int64_t count, const std::string& one, const std::string& many = "");

// Two numbers in decimals, each with six digits, or with as many more as it takes to tell them apart.
std::pair<std::string, std::string> in_decimals(double one, double other);

}  // namespace ordercheck
