// Formats counts, numbers, lists and tables for messages.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ordercheck {

// "1 case", "2 cases"; pass `many` for an irregular plural: counted(2, "advisory", "advisories").
std::string counted(std::int64_t count, const std::string& one, const std::string& many = "");

// "1.50 GB", "2.00 MB", "0.10 kB"; decimal units.
std::string in_bytes(double bytes);

// Joins texts: "a", "a and b", "a, b and c"; "" if `parts` is empty.
std::string enumerated(const std::vector<std::string>& parts);

// Prints two numbers with six digits each, or with as many more as it takes to tell them apart.
std::pair<std::string, std::string> in_decimals(double one, double other);

// One line: `indent` blanks, the label padded to `width`, a blank and the text. "" if the text is empty.
std::string labelled(int indent, const std::string& label, int width, const std::string& text);

// One line per row, with the cells padded to columns of equal width.
std::string in_columns(const std::vector<std::vector<std::string>>& rows);

}  // namespace ordercheck
