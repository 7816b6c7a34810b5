#include "evidence/control_words.h"

#include <fmt/format.h>

#include "base/text.h"
#include "base/wording.h"

namespace ordercheck {
namespace {

constexpr std::string_view kUnlike = "; the first that has not is ";

}  // namespace

std::string plain_arithmetic_in_words(long long differ, long long completed) {
  return fmt::format("{} of {} {} from the single-rank reference without the grid", differ, counted(completed, "legal layout"),
                     differ == 1 ? "differs" : "differ");
}

std::string repeated_runs_in_words(const RepeatedRuns& runs) {
  return fmt::format("{} of {} {} the digest of {} second run{}{}", runs.alike, counted(runs.twice, "record"),
                     runs.alike == 1 ? "has" : "have", runs.alike == 1 ? "its" : "their",
                     runs.first_unlike.empty() ? "" : kUnlike, runs.first_unlike);
}

std::optional<RepeatedRuns> parse_repeated_runs(const std::string& words) {
  const auto parts = split(words, ' ');
  if (parts.size() < 3 || parts[1] != "of") return std::nullopt;
  const auto alike = parse_integer(parts[0]), twice = parse_integer(parts[2]);
  if (!alike || !twice || *alike < 0 || *twice < *alike) return std::nullopt;
  const std::size_t unlike = words.find(kUnlike);
  return RepeatedRuns{
      .alike = *alike, .twice = *twice, .first_unlike = unlike == words.npos ? "" : words.substr(unlike + kUnlike.size())};
}

}  // namespace ordercheck
