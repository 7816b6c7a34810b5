// A matrix for those who did not run it: what CI systems and people are shown of a run, or of what is committed.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "plan/result.h"
#include "report/ci/junit.h"
#include "report/ci/sarif.h"
#include "report/pages/engine_runs.h"

namespace ordercheck {

struct ReportedCase {
  Outcome outcome;
  std::string reason;  // why the verdict is what it is, with the rank where that is known
};

// One build of an engine: of `matrix run` what it saw now, of `matrix show` what it saw when it was committed.
struct ReportedBuild {
  Target target;       // pytorch 2.11.0
  EvidenceTable head;  // engine, versions, device and arithmetic; without rows
  std::vector<ReportedCase> cases;
  std::vector<Control> controls;
  std::vector<std::pair<std::string, int>> not_planned;  // reasons, and how many cases each keeps out
};
ReportedBuild reported(const PlanResult& result);
ReportedBuild reported(const EngineRuns& runs);

std::string name_of(const ReportedBuild& build);           // "pytorch torch-2.11.0-cpu"
std::string evidence_file_of(const ReportedBuild& build);  // "matrix/evidence/pytorch/torch-2.11.0-cpu.tsv"

// Nothing went as predicted, and no rule explains it: these alone fail a matrix.
bool is_unexplained(const Outcome& outcome);

// The worker died or wrote no protocol, and no rule predicts that.
bool is_breakage(const Outcome& outcome);

// A build a suite, a case a test case, a control one too. Unexplained contradictions fail, breakage is an error, what decided
// nothing is skipped with its reason.
std::vector<TestSuite> junit_of(const std::vector<ReportedBuild>& builds);

// Contradictions alone, at the page of the rule that predicted otherwise; where none fired, at the file of evidence. Failed controls
// and undecided cases are beside them.
SarifLog sarif_of(const std::vector<ReportedBuild>& builds, const std::vector<Rule>& rules);
std::vector<SarifOwnRule> own_rules_of_a_matrix();

}  // namespace ordercheck
