// Counts, numbers and tables as a message says them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ordercheck {

// "1 case", "2 cases"; of an irregular plural both forms: counted(2, "advisory", "advisories").
std::string counted(std::int64_t count, const std::string& one, const std::string& many = "");

// "a", "a and b", "a, b and c"; "" of none.
std::string enumerated(const std::vector<std::string>& parts);

// Two numbers in decimals, each with six digits, or with as many more as it takes to tell them apart.
std::pair<std::string, std::string> in_decimals(double one, double other);

// One line about a thing: `indent` blanks, the label, `width` wide, a blank and the text; "" where there is no text.
std::string labelled(int indent, const std::string& label, int width, const std::string& text);

// A line a row: columns as wide as their widest cell, two blanks before each, nothing behind the last.
std::string in_columns(const std::vector<std::vector<std::string>>& rows);

}  // namespace ordercheck
