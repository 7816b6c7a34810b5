#include "report/ci/matrix_report.h"

#include <fmt/format.h>

#include "base/text.h"
#include "base/wording.h"
#include "report/text/summary.h"
#include "rules/load.h"

namespace ordercheck {
namespace {

constexpr const char* kUnpredicted = "unpredicted";

EvidenceTable without_rows(const EvidenceTable& table) {
  return {.engine = table.engine,
          .versions = table.versions,
          .device = table.device,
          .arithmetic = table.arithmetic,
          .controls = {},
          .rows = {}};
}

std::string details_of(const ReportedCase& one) {
  std::string text = fmt::format("verdict    {}\nreason     {}\npredicted  {}", name_of(one.outcome.seen.verdict), one.reason,
                                 prediction_text(one.outcome));
  if (const std::string place = place_of(one.outcome.seen); !place.empty()) text += "\nwhere      " + place;
  if (!one.outcome.explanation.empty()) text += "\nexplained  " + one.outcome.explanation;
  return text;
}

std::string why_skipped(const ReportedCase& one) {
  const Outcome& outcome = one.outcome;
  if (outcome.agreement == Agreement::undecided) return fmt::format("{}: {}", name_of(outcome.seen.verdict), one.reason);
  return "open: " + (outcome.open_because.empty() ? prediction_text(outcome) : outcome.open_because);
}

TestCase test_case_of(const ReportedCase& one) {
  TestCase made{.name = print(one.outcome.subject), .detail = details_of(one)};
  switch (one.outcome.agreement) {
    case Agreement::confirmed: break;
    case Agreement::contradiction:
      // Explained contradictions pass.
      if (!is_unexplained(one.outcome)) break;
      made.end = is_breakage(one.outcome) ? TestEnd::error : TestEnd::failed;
      made.message = one.outcome.disagreement;
      break;
    case Agreement::open:
    case Agreement::undecided:
      made.end = TestEnd::skipped;
      made.message = why_skipped(one);
      break;
  }
  return made;
}

TestCase test_case_of(const Control& control) {
  TestCase made{.name = "control: " + control.name, .detail = control.evidence};
  if (!control.judged)
    made.end = TestEnd::skipped, made.message = "not judged: " + control.evidence;
  else if (!control.held)
    made.end = TestEnd::failed, made.message = "did not show that the comparison can fail: " + control.evidence;
  return made;
}

TestSuite suite_of(const ReportedBuild& build) {
  TestSuite suite{.name = name_of(build),
                  .properties = {{"engine", build.head.engine},
                                 {"versions", join(build.head.versions, ", ")},
                                 {"device", build.head.device},
                                 {"arithmetic", build.head.arithmetic}},
                  .cases = {}};
  for (const auto& [reason, count] : build.not_planned)
    suite.properties.emplace_back("not planned", fmt::format("{}: {}", counted(count, "case"), reason));
  for (const ReportedCase& one : build.cases) suite.cases.push_back(test_case_of(one));
  for (const Control& control : build.controls) suite.cases.push_back(test_case_of(control));
  return suite;
}

int title_line_of(const Rule& rule) {
  int line = 1;
  for (const std::string& text : split(rule.page, '\n')) {
    if (text.starts_with("# ")) return line;
    ++line;
  }
  return 1;
}

SarifResult sarif_result_of(const ReportedCase& one, const ReportedBuild& build, const std::vector<Rule>& rules) {
  const Outcome& outcome = one.outcome;
  const std::string subject = print(outcome.subject);
  const Rule* rule = outcome.prediction.rule.empty() ? nullptr : find_rule(rules, outcome.prediction.rule);
  const bool unexplained = is_unexplained(outcome);
  return {.rule = rule != nullptr ? rule->id : kUnpredicted,
          .level = unexplained ? SarifLevel::error : SarifLevel::note,
          .message = fmt::format("{} on {}: {}. {}{}", subject, print(build.target), outcome.disagreement, one.reason,
                                 unexplained ? "" : ". Explained: " + outcome.explanation),
          .file = rule != nullptr ? rule->file : evidence_file_of(build),
          .line = rule != nullptr ? title_line_of(*rule) : 1,
          // Exclude the message, so that rewording it does not create a new finding.
          .fingerprint = fmt::format("{}\n{}\n{}", name_of(build), subject, name_of(outcome.seen.verdict))};
}

}  // namespace

ReportedBuild reported(const PlanResult& result) {
  ReportedBuild build{.target = target_of(result.hello),
                      .head = without_rows(evidence_of(result)),
                      .cases = {},
                      .controls = result.controls,
                      .not_planned = reasons_not_planned(result.plan)};
  for (const CaseResult& one : result.cases) build.cases.push_back({one.outcome, reason_of(one)});
  return build;
}

ReportedBuild reported(const EngineRuns& runs) {
  ReportedBuild build{
      .target = runs.target, .head = without_rows(runs.table), .cases = {}, .controls = runs.table.controls, .not_planned = {}};
  for (const Outcome& outcome : runs.outcomes) build.cases.push_back({outcome, reason_of(outcome.seen)});
  return build;
}

std::string name_of(const ReportedBuild& build) { return fmt::format("{} {}", build.head.engine, build_of(build.head)); }

std::string evidence_file_of(const ReportedBuild& build) {
  return evidence_path("matrix/evidence", build.head).generic_string();
}

bool is_unexplained(const Outcome& outcome) {
  return outcome.agreement == Agreement::contradiction && outcome.explanation.empty();
}

bool is_breakage(const Outcome& outcome) {
  return is_unexplained(outcome) && (outcome.seen.ending == Ending::died || outcome.seen.ending == Ending::garbled);
}

std::vector<TestSuite> junit_of(const std::vector<ReportedBuild>& builds) {
  std::vector<TestSuite> suites;
  for (const ReportedBuild& build : builds) suites.push_back(suite_of(build));
  return suites;
}

SarifLog sarif_of(const std::vector<ReportedBuild>& builds, const std::vector<Rule>& rules) {
  SarifLog log;
  for (const ReportedBuild& build : builds) {
    for (const Control& control : build.controls)
      if (control.judged && !control.held)
        log.failed_controls.push_back(
            fmt::format("control '{}' failed on {}: {}", control.name, print(build.target), control.evidence));
    for (const ReportedCase& one : build.cases) {
      const Outcome& outcome = one.outcome;
      log.engine_broke = log.engine_broke || is_breakage(outcome);
      if (outcome.agreement == Agreement::contradiction) log.results.push_back(sarif_result_of(one, build, rules));
      if (outcome.agreement == Agreement::undecided)
        log.undecided.push_back(fmt::format("{} on {}: {}", print(outcome.subject), print(build.target), why_skipped(one)));
    }
  }
  return log;
}

std::vector<SarifOwnRule> own_rules_of_a_matrix() {
  return {{.id = kUnpredicted,
           .name = "A stack did not run as predicted, and no rule speaks about it",
           .help = "No rule flags this stack, so ordercheck predicts that it is bitwise equal to a single-rank run, and a run "
                   "showed something else. `ordercheck run` shows the case in full, `ordercheck repro` prints a script. Either "
                   "the framework is wrong, or a rule is missing."}};
}

}  // namespace ordercheck
