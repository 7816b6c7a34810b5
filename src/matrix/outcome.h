// Predicted against observed, for one case and for a whole matrix. What reports and pages are rendered from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evidence/table.h"
#include "matrix/plan.h"
#include "parity/verdict.h"
#include "rule/prediction.h"

namespace ordercheck {

//   confirmed      what was seen is what the rules predict; where none fires, they predict equal
//   contradiction  something else was seen, or a harm that no rule predicts for this engine and version
//   open           rules fire, none speaks about this engine and version, and nothing went wrong; or plain arithmetic,
//                  where layouts owe nothing, differs; or a page claims something of a counter that was not measured
//   undecided      nothing was shown: unrun or unstable
enum class Agreement { confirmed, contradiction, open, undecided };

// The first tensor, in execution order, that two runs do not share.
struct Divergence {
  int step = 0;
  Phase phase = Phase::forward;
  std::string module;
  std::uint64_t ulp = 0;       // the largest distance of one element
  std::int64_t elements = 0;   // of the tensor
  std::int64_t differing = 0;  // of its elements
  double owed_largest = 0;     // by magnitude, of either side
  double got_largest = 0;
  double apart = 0;  // the largest distance of one element
  // Only where the two are not even of one shape, and then all above are 0.
  std::vector<std::int64_t> owed_shape, got_shape;
  friend bool operator==(const Divergence&, const Divergence&) = default;
};

struct Outcome {
  PlannedCase planned;
  Record record;  // the subject's first run
  Judgement judgement;
  Prediction prediction;
  Agreement agreement = Agreement::undecided;
  std::string disagreement;  // of a contradiction: "ORD-004 predicts fails in apply; it fails in forward"
  std::string
      open_because;         // where a page's claim could not be decided: "COM-002: saved_bytes_peak is not measured by pytorch"
  std::string explanation;  // the `because` of the page that explains the contradiction; "" where none does
  std::string persistence;  // of a difference: "also with seed 2, also on the grid 2^-18"
  std::optional<Divergence> divergence;
};

struct MatrixResult {
  Hello hello;
  Plan plan;
  std::vector<Outcome> outcomes;  // in the order of the plan
  std::vector<Control> controls;
};

// Sets agreement, disagreement and explanation from prediction, judgement and record. A foreign failure, in another phase
// or with another message than the page pins, confirms nothing.
void hold_against_rules(Outcome& outcome);

// What a page claims about two stacks: a `commutes` pair agrees in verdict and counters, and a slow or memory page's
// counter moves from the good witness to the bad one as it says. Turns what does not bear out into contradictions, and a
// confirmation that would need a counter which was not measured into an open question.
void hold_pairs_against_rules(std::vector<Outcome>& outcomes, const std::vector<Rule>& rules, const Target& target);

// The engine and version that a run speaks for: "native 2.11.0".
Target target_of(const Hello& hello);

// The table that an engine's runs go to, still without rows; and with them.
EvidenceTable head_of(const Hello& hello, Arithmetic arithmetic);
EvidenceTable evidence_of(const MatrixResult& result);

const char* name_of(Agreement agreement);

}  // namespace ordercheck
