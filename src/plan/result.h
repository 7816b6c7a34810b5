// What running a plan showed: values alone. A trial makes them, reports tell them.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "check/outcome.h"
#include "evidence/table.h"
#include "parity/difference.h"
#include "parity/noise_floor.h"
#include "plan/plan.h"

namespace ordercheck {

struct CaseResult {
  PlannedCase planned;
  Outcome outcome;                       // what evidence keeps of it, held against the rules
  Record record;                         // the subject's first run
  std::optional<Closeness> closeness;    // in float32 arithmetic; in exact arithmetic, of the compiler's own code
  bool in_compiler_code = false;         // what differs does so in the compiler's own code alone
  std::string persistence;               // of a difference: "also with seed 2, also on the grid 2^-18"
  std::optional<Divergence> divergence;  // of a difference
  std::vector<std::string> right_without =
      {};                     // of a difference, failure or hang: the items without any one of which there is none
  std::string factor = {};    // of gradients that are a multiple of those owed: "2 times the owed gradient in all 29 ..."
  std::string left_out = {};  // what --quick did not run; empty without it
  std::string clipping = {};  // what clip_grad_norm_ does under a stack that does not clip; empty where that was not run
};

struct PlanResult {
  Hello hello;
  Plan plan;
  std::vector<CaseResult> cases;  // in the order of the plan
  std::vector<Control> controls;
};

// The engine and version that a run speaks for: "native 2.11.0".
Target target_of(const Hello& hello);

// The table that an engine's runs go to, still without rows; and with them.
EvidenceTable head_of(const Hello& hello, Arithmetic arithmetic);
EvidenceTable evidence_of(const PlanResult& result);

struct Tally {
  std::vector<std::pair<Verdict, int>> verdicts;  // those seen, in the order of Verdict
  int confirmed = 0;
  int open = 0;
  int explained = 0;       // contradictions that a rule explains
  int contradictions = 0;  // those that no rule explains
  int undecided = 0;
  int controls_failed = 0;
};
Tally tally_of(const std::vector<Outcome>& outcomes, const std::vector<Control>& controls);
Tally tally_of(const PlanResult& result);

std::vector<Outcome> outcomes_of(const PlanResult& result);

}  // namespace ordercheck
