// Converts a matrix run, or committed evidence, to reports for CI systems and users.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "matrix/plan_result.h"
#include "report/ci/junit.h"
#include "report/ci/sarif.h"
#include "report/pages/engine_runs.h"

namespace ordercheck {

struct ReportedCase {
  Outcome outcome;
  std::string reason;  // what explains the verdict, with the rank if known
};

// The results of one build of an engine: of the current `matrix run`, or the committed ones for `matrix show`.
struct ReportedBuild {
  Target target;       // pytorch 2.11.0
  EvidenceTable head;  // engine, versions, device and arithmetic; without rows
  std::vector<ReportedCase> cases;
  std::vector<Control> controls;
  std::vector<std::pair<std::string, int>> not_planned;  // reasons, with the number of cases that each excludes
};
ReportedBuild reported(const PlanResult& result);
ReportedBuild reported(const EngineRuns& runs);

std::string name_of(const ReportedBuild& build);           // "pytorch torch-2.11.0-cpu"
std::string evidence_file_of(const ReportedBuild& build);  // "matrix/evidence/pytorch/torch-2.11.0-cpu.tsv"

// Whether the run contradicts its prediction and no rule page explains that. Only such cases make `matrix run` fail.
bool is_unexplained(const Outcome& outcome);

// Whether the worker crashed or violated the protocol, and no rule predicts that.
bool is_breakage(const Outcome& outcome);

// One suite per build, one test case per case and control. Unexplained contradictions fail, crashes are errors, undecided cases
// are skipped with a reason.
std::vector<TestSuite> junit_of(const std::vector<ReportedBuild>& builds);

// The SARIF results are the contradictions, each at the page of the rule that predicted something else, or at the evidence
// file if no rule fired. Failed controls and undecided cases become notifications.
SarifLog sarif_of(const std::vector<ReportedBuild>& builds, const std::vector<Rule>& rules);
std::vector<SarifOwnRule> own_rules_of_a_matrix();

}  // namespace ordercheck
