// Renders the plan and the result of a matrix as text and as JSON.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "matrix/plan_result.h"

namespace ordercheck {

// One line per case with its sources, then what is not planned and why.
std::string render_plan_text(const Plan& plan);
std::string render_plan_json(const Plan& plan);

// Contradictions and undecided cases, the counts, why cases are open, the controls, and what was not planned: at most 30 lines for more
// than 20 cases. Of fewer cases, or with `verbose`, also a line for each case.
std::string render_result_text(const PlanResult& result, bool verbose = false);
std::string render_result_json(const PlanResult& result);

// Committed evidence: a heading and one line per case.
std::string render_evidence_text(const EvidenceTable& table);

// One case in full, as `ordercheck run` prints it.
std::string render_case_text(const CaseResult& result, const Hello& hello);
std::string render_case_json(const CaseResult& result, const Hello& hello);

// The reason for the verdict. For an incomplete run: how and where it ended, with rank and sequence number.
std::string reason_of(const CaseResult& result);

// "fails, by ORD-004 [confirmed]".
std::string prediction_text(const Outcome& outcome);

// The cases with Agreement::open, grouped by reason: "no rule speaks about this engine and version (ORD-009 speaks about
// others)".
std::map<std::string, std::vector<Case>> open_cases(const std::vector<Outcome>& outcomes);

}  // namespace ordercheck
