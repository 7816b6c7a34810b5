// A plan and the result of a matrix as text and as JSON.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "matrix/run.h"

namespace ordercheck {

// A line a case with why it is there; then what is not planned and why.
std::string render_plan_text(const Plan& plan);
std::string render_plan_json(const Plan& plan);

// For `strategy.matrix: fromJSON(...)` of a GitHub workflow: {"include":[{"shard":"1/4","cases":31}, ...]}, one line.
std::string render_plan_github(const Plan& plan, int shards);

// Counts, then every contradiction, every undecided and every open case, the controls, and what was not planned.
std::string render_result_text(const MatrixResult& result);
std::string render_result_json(const MatrixResult& result);

// Committed evidence: a head, a line a case.
std::string render_evidence_text(const EvidenceTable& table);

// One outcome in full, as `ordercheck run` prints it.
std::string render_outcome_text(const Outcome& outcome, const Hello& hello);
std::string render_outcome_json(const Outcome& outcome, const Hello& hello);

// "layers.0 of step 1, backward: max |grad| 0 against 7.3, 2 of 9 numbers differ by up to 7.3 (3 ULP)".
std::string divergence_text(const Divergence& divergence);

// "max |grad| 0 against 7.3": what was got, then what is owed.
std::string magnitudes_text(const Divergence& divergence);

// "fails, by ORD-004 [confirmed]".
std::string prediction_text(const Outcome& outcome);

// Cases that are open, by why they are: "no rule speaks about this engine and version (ORD-009 speaks about others)".
std::map<std::string, std::vector<std::string>> open_cases(const std::vector<Outcome>& outcomes);

// The cases of shard `index` of `count`, 1 the first: every count-th case.
Plan shard_of(const Plan& plan, int index, int count);

}  // namespace ordercheck
