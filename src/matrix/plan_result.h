// Defines the results of a matrix run, as plain values for reports.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "matrix/plan.h"
#include "record/difference.h"
#include "record/evidence_table.h"
#include "record/noise_floor.h"
#include "rules/outcome.h"

namespace ordercheck {

struct CaseResult {
  PlannedCase planned;
  Outcome outcome;                              // the observation for the evidence, compared with the rules
  Record record;                                // the subject's first run
  std::optional<Closeness> closeness;           // in float32 arithmetic; in exact arithmetic, of the compiler's generated code
  bool in_compiler_code = false;                // only the compiler's generated code differs
  std::string persistence;                      // for a case that differs: "also with seed 2, also on the grid 2^-18"
  std::optional<Divergence> divergence;         // of a difference
  std::vector<std::string> right_without = {};  // transforms without which the wrong stack is equal
  std::string factor = {};    // if gradients are a multiple of the expected ones: "2 times the owed gradient in all 29 ..."
  std::string left_out = {};  // which runs --quick left out; empty without it
  std::string clipping = {};  // how clip_grad_norm_ behaves under a stack that does not clip; empty if not run
};

struct PlanResult {
  Hello hello;
  Plan plan;
  std::vector<CaseResult> cases;  // in the order of the plan
  std::vector<Control> controls;
};

// The engine and version of a run: "native 2.11.0".
Target target_of(const Hello& hello);

// The evidence table of an engine's runs: head_of() without rows, evidence_of() with a row per case.
EvidenceTable head_of(const Hello& hello, Arithmetic arithmetic);
EvidenceTable evidence_of(const PlanResult& result);

struct Tally {
  std::vector<std::pair<Verdict, int>> verdicts;  // verdicts that occur, in the order of Verdict
  int confirmed = 0;
  int open = 0;
  int explained = 0;       // contradictions explained by a rule
  int contradictions = 0;  // contradictions not explained by a rule
  int undecided = 0;
  int controls_failed = 0;
};
Tally tally_of(const std::vector<Outcome>& outcomes, const std::vector<Control>& controls);
Tally tally_of(const PlanResult& result);

std::vector<Outcome> outcomes_of(const PlanResult& result);

}  // namespace ordercheck
