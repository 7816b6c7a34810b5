#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <vector>

#include <fmt/format.h>

#include "base/displayable.h"
#include "base/wording.h"
#include "cli/explain/explain.h"
#include "cli/shared/error_log.h"

namespace ordercheck::cli {
namespace {

// Each takes a search through all pages and runs.
constexpr std::size_t kMostLookedUp = 100;
constexpr std::size_t kLongestMessage = 300;

std::string where(const std::string& path, const LoggedError& error) {
  return fmt::format("{}:{}: {}\n{}", path == "-" ? "standard input" : path, error.line,
                     displayable(error.message.substr(0, kLongestMessage)),
                     error.frame.empty() ? "" : fmt::format("  at {}\n", displayable(error.frame)));
}

}  // namespace

Result<LogAnswer> explain_errors(const std::string& path, const Knowledge& knowledge) {
  std::ifstream file;
  if (path != "-") {
    file.open(path);
    if (!file || file.peek() == std::ifstream::traits_type::eof())
      return Error{fmt::format("{}: {}", path, file.is_open() && file.eof() ? "it is empty" : std::strerror(errno))};
  }
  const std::vector<LoggedError> errors = errors_in(path == "-" ? std::cin : file);
  if (errors.empty()) return Error{fmt::format("{}: no line of it says anything", path)};
  const LoggedError* best = nullptr;
  MessageAnswer answer;
  for (std::size_t i = 0; i < std::min(errors.size(), kMostLookedUp); ++i)
    if (MessageAnswer one = explain_message(errors[i].message, knowledge); one.shared > answer.shared) {
      best = &errors[i];
      answer = std::move(one);
    }
  if (best != nullptr) return LogAnswer{.text = where(path, *best) + answer.text, .is_known = true};
  return LogAnswer{
      .text = fmt::format("{}Nothing is known of it: no rule, committed run or citation holds this message{}.\n",
                          where(path, errors.front()),
                          errors.size() == 1 ? "" : fmt::format(", nor one of the {} behind it", errors.size() - 1)),
      .is_known = false};
}

}  // namespace ordercheck::cli
