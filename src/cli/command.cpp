#include "cli/command.h"

#include <fmt/format.h>

namespace ordercheck::cli {
namespace {

int tell(const std::string& subcommand, const std::string& message, int exit_code) {
  fmt::print(stderr, "ordercheck {}: {}\n", subcommand, message);
  return exit_code;
}

}  // namespace

int bad_input(const std::string& subcommand, const std::string& message) { return tell(subcommand, message, kBadInput); }

int undecided(const std::string& subcommand, const std::string& message) { return tell(subcommand, message, kUndecided); }

int ended(const std::string& subcommand, const Result<int>& result) {
  return result ? *result : bad_input(subcommand, result.error().message);
}

}  // namespace ordercheck::cli
