#include "report/text/builds_beside.h"

#include <algorithm>
#include <cassert>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "base/wording.h"
#include "record/difference.h"
#include "report/text/summary.h"

namespace ordercheck {
namespace {

using Row = std::vector<std::string>;

bool completed(const CaseResult& result) { return result.record.ending == Ending::completed; }

// Says for each build whether its numbers are bitwise equal to those of the first build.
std::string bits_text(const std::vector<std::string>& names, const std::vector<CaseResult>& results) {
  if (!std::ranges::all_of(results, completed)) return "";
  for (std::size_t i = 1; i < results.size(); ++i)
    if (const auto difference = first_difference(results[0].record, results[i].record))
      return fmt::format(" The numbers are not the same: {} and {} part first at the {} of step {}.", names[0], names[i],
                         difference->what, difference->step);
  return " Every loss, gradient, norm and parameter has the same bits.";
}

std::string verdict_in(const PlanResult& result, const std::string& text) {
  for (const CaseResult& one : result.cases)
    if (print(one.planned.subject) == text) return verdict_in_words(one.outcome.seen);
  return "not run";
}

}  // namespace

std::string render_builds(const std::vector<std::string>& names, const std::vector<CaseResult>& results) {
  assert(names.size() == results.size() && names.size() > 1 && "several builds, each with its name");
  std::vector<Row> rows;
  for (std::size_t i = 0; i < names.size(); ++i)
    rows.push_back({names[i], verdict_in_words(results[i].outcome.seen), split(reason_of(results[i]), '\n').front()});
  const bool agree = std::ranges::all_of(
      results, [&](const CaseResult& one) { return one.outcome.seen.verdict == results[0].outcome.seen.verdict; });
  const std::string together =
      agree ? fmt::format("All {} agree: {}.", names.size(), name_of(results[0].outcome.seen.verdict)) : "They do not agree.";
  return in_columns(rows) + together + bits_text(names, results) + "\n";
}

std::string render_builds(const std::vector<std::string>& names, const std::vector<PlanResult>& results) {
  assert(names.size() == results.size() && names.size() > 1 && "several builds, each with its name");
  std::map<std::string, std::vector<std::string>> verdicts;  // by case
  for (const PlanResult& result : results)
    for (const CaseResult& one : result.cases) verdicts[print(one.planned.subject)];
  std::size_t same = 0;
  std::vector<Row> rows{{"case"}};
  rows[0].insert(rows[0].end(), names.begin(), names.end());
  for (auto& [text, of_builds] : verdicts) {
    for (const PlanResult& result : results) of_builds.push_back(verdict_in(result, text));
    if (std::ranges::count(of_builds, of_builds[0]) == static_cast<std::ptrdiff_t>(of_builds.size())) {
      ++same;
      continue;
    }
    rows.push_back({text});
    rows.back().insert(rows.back().end(), of_builds.begin(), of_builds.end());
  }
  return (rows.size() > 1 ? in_columns(rows) : "") + fmt::format("{} on {}: {} with one verdict on all, {} with several\n",
                                                                 counted(verdicts.size(), "case"),
                                                                 counted(names.size(), "build"), same, verdicts.size() - same);
}

}  // namespace ordercheck
