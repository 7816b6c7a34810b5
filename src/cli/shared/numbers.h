// Validators of numbers on the command line. CLI11's own print their bounds in 300 digits.
#pragma once

#include <climits>
#include <cstdlib>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.h"

namespace ordercheck::cli {

// A whole number from `least` to the largest int.
inline CLI::Validator whole_number_from(int least) {
  return CLI::Validator(
      [least](const std::string& text) {
        const auto number = parse_integer(text);
        if (number && *number >= least && *number <= INT_MAX) return std::string();
        return fmt::format("expected a whole number from {} to {}, got {}", least, INT_MAX, text);
      },
      least > 0 ? "POSITIVE" : "NONNEGATIVE");
}

inline CLI::Validator above_zero() {
  return CLI::Validator(
      [](const std::string& text) {
        char* end = nullptr;
        const double number = std::strtod(text.c_str(), &end);
        if (!text.empty() && *end == 0 && number > 0) return std::string();
        return fmt::format("expected a number above 0, got {}", text);
      },
      "POSITIVE");
}

}  // namespace ordercheck::cli
