// Predicted against observed. What reports and pages are made from.
#pragma once

#include <string>
#include <vector>

#include "base/enum.h"
#include "parity/observation.h"
#include "rule/catalogue.h"
#include "rule/prediction.h"
#include "rule/rule.h"
#include "stack/case.h"

namespace ordercheck {

//   confirmed      what was seen is what the rules predict; where none fires, they predict equal
//   contradiction  something else was seen, or a harm that no rule predicts for this engine and version
//   open           rules fire, none speaks about this engine and version, and nothing went wrong; or plain arithmetic,
//                  where layouts owe nothing, differs; or a page claims something of a counter that was not measured; or a
//                  user's own function shows something else than is predicted
//   undecided      nothing was shown: unrun or unstable
ORDERCHECK_ENUM(Agreement, confirmed, contradiction, open, undecided)

struct Outcome {
  Case subject;
  Observation seen;
  Prediction prediction;
  Agreement agreement = Agreement::undecided;
  std::string disagreement = "";  // of a contradiction: "ORD-004 predicts fails in apply; it fails in forward"
  std::string open_because =
      "";                        // a page's claim that could not be decided: "COM-002: saved_bytes_peak is not measured by ..."
  std::string explanation = "";  // the `because` of the page that explains the contradiction; "" where none does
};

// Holds what was seen against what the rules predict for the engine and version that it was seen on. A foreign failure, in
// another phase or with another message than the page pins, confirms nothing.
Outcome outcome_of(const Case& subject, const Observation& seen, const Catalogue& catalogue, const Target& target);

// What a page claims about two stacks: a `commutes` pair agrees in verdict and counters, and a slow or memory page's
// counter moves from the good witness to the bad one as it says. Turns what does not bear out into contradictions, and a
// confirmation that would need a counter which was not measured into an open question.
void hold_pairs_against_rules(const std::vector<Outcome*>& outcomes, const std::vector<Rule>& rules, const Target& target);

}  // namespace ordercheck
