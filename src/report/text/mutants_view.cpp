#include "report/text/mutants_view.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/wording.h"

namespace ordercheck {
namespace {

using Json = nlohmann::ordered_json;

// What rows say of one mutant.
struct MutantTold {
  std::vector<std::string> classes;  // each once
  std::vector<std::string> cases;
};

MutantTold told_of(const Mutant& mutant, const std::vector<MutantRow>& rows) {
  MutantTold told;
  for (const MutantRow& row : rows) {
    if (row.mutant != mutant.name) continue;
    told.cases.push_back(print(row.subject));
    if (!row.imitates.empty() && !contains(told.classes, row.imitates)) told.classes.push_back(row.imitates);
  }
  return told;
}

std::size_t count_of(const MutantsResult& result, Sighting sighting) {
  return static_cast<std::size_t>(std::ranges::count_if(
      result.rows, [&](const MutantResult& one) { return sighting_of(one.expected, one.run) == sighting; }));
}

// "20 twins, all equal or close", or those that are not.
std::string twins_in_words(const MutantsResult& result) {
  std::map<std::string, Verdict> twins;
  for (const MutantResult& one : result.rows) twins.emplace(one.run.case_text, one.run.twin);
  std::vector<std::string> broken;
  for (const auto& [case_text, verdict] : twins)
    if (!shows_parity(verdict)) broken.push_back(fmt::format("{} is {}", case_text, name_of(verdict)));
  const std::string count = counted(std::ssize(twins), "twin");
  return broken.empty() ? count + ", all equal or close"
                        : fmt::format("{}, {} neither equal nor close: {}", count, broken.size(), join(broken, "; "));
}

Json json_of(const MutantResult& one) {
  const MutantRun& run = one.run;
  return {{"mutant", run.mutant},
          {"case", run.case_text},
          {"expected", {{"verdict", name_of(one.expected.verdict)}, {"first", one.expected.first}}},
          {"twin", name_of(run.twin)},
          {"verdict", name_of(run.verdict)},
          {"first", run.first},
          {"message", run.message},
          {"sighting", name_of(sighting_of(one.expected, run))}};
}

}  // namespace

std::string render_mutants_text(const Hello& hello, const std::vector<MutantRow>& rows) {
  std::vector<std::vector<std::string>> lines;
  for (const Mutant& mutant : hello.mutants) {
    const MutantTold told = told_of(mutant, rows);
    lines.push_back({mutant.name, mutant.breaks, told.classes.empty() ? "-" : join(told.classes, " "),
                     told.cases.empty() ? "no case" : join(told.cases, " | ")});
  }
  return in_columns(lines);
}

std::string render_mutants_json(const Hello& hello, const std::vector<MutantRow>& rows) {
  Json mutants = Json::array();
  for (const Mutant& mutant : hello.mutants) {
    const MutantTold told = told_of(mutant, rows);
    mutants.push_back(
        {{"name", mutant.name}, {"breaks", mutant.breaks}, {"imitates", Json(told.classes)}, {"cases", Json(told.cases)}});
  }
  return Json{{"schema", "ordercheck/mutants-list/1"},
              {"engine", hello.engine},
              {"versions", Json(hello.versions)},
              {"mutants", std::move(mutants)}}
             .dump(2) +
         "\n";
}

MutantLines::MutantLines(const std::vector<MutantRow>& rows) {
  for (const MutantRow& row : rows) {
    mutant_ = std::max(mutant_, row.mutant.size());
    case_ = std::max(case_, print(row.subject).size());
    first_ = std::max(first_, row.first.size());
  }
}

std::string MutantLines::line(const MutantResult& result) const {
  const MutantRun& run = result.run;
  return fmt::format("{:<{}}  {:<{}}  twin {:<8}  {:<8}  {:<{}}  {}\n", run.mutant, mutant_, run.case_text, case_,
                     name_of(run.twin), name_of(run.verdict), run.first.empty() ? "-" : run.first, first_,
                     in_words(sighting_of(result.expected, run)));
}

std::string render_mutants_summary(const MutantsResult& result) {
  std::set<std::string> mutants;
  for (const MutantResult& one : result.rows) mutants.insert(one.run.mutant);
  std::string text =
      fmt::format("{} of {} on {} ({}): {} seen, {} seen elsewhere, {} not seen; {}.\n",
                  counted(std::ssize(result.rows), "row"), counted(std::ssize(mutants), "mutant"), result.hello.engine,
                  join(result.hello.versions, ", "), count_of(result, Sighting::seen), count_of(result, Sighting::elsewhere),
                  count_of(result, Sighting::missed), twins_in_words(result));
  if (!result.without_case.empty())
    text += fmt::format("{} without a case: {}.\n", counted(std::ssize(result.without_case), "mutant"),
                        join(result.without_case, ", "));
  return text;
}

std::string render_mutants_result_json(const MutantsResult& result) {
  Json rows = Json::array();
  for (const MutantResult& one : result.rows) rows.push_back(json_of(one));
  return Json{{"schema", "ordercheck/mutants-run/1"},
              {"engine", result.hello.engine},
              {"versions", Json(result.hello.versions)},
              {"rows", std::move(rows)},
              {"without_case", Json(result.without_case)}}
             .dump(2) +
         "\n";
}

}  // namespace ordercheck
