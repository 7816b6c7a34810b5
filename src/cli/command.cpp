#include "cli/command.h"

#include <fmt/format.h>

#include "matrix/child_process.h"

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
  if (result) return *result;
  return tell(subcommand, result.error().message, is_too_slow(result.error()) ? kUndecided : kBadInput);
}

int exit_code_of(const Report& report, bool strict) {
  switch (legality_of(report)) {
    case Legality::illegal: return kDecidedAgainst;
    case Legality::unknown: return kUndecided;
    case Legality::legal: break;
  }
  return strict && !report.findings.empty() ? kDecidedAgainst : kNothingAgainst;
}

}  // namespace ordercheck::cli
