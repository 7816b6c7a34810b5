// Compares the rules' prediction for a case with the verdict of its run.
#pragma once

#include <string>
#include <vector>

#include "base/enum.h"
#include "record/observation.h"
#include "rules/catalogue.h"
#include "rules/prediction.h"
#include "rules/rule.h"
#include "stack/case.h"

namespace ordercheck {

//   confirmed      the run shows what the rules predict (equal if no rule fires)
//   contradiction  the run shows something else, or a harm that no rule predicts for this engine and version
//   open           the rules do not decide: those that fire say nothing about this engine and version, and nothing went
//                  wrong; plain arithmetic differs, where layouts need not agree; a page's claim needs a counter that was not
//                  measured; or a user's function shows something else
//   undecided      the run showed nothing: unrun or unstable
ORDERCHECK_ENUM(Agreement, confirmed, contradiction, open, undecided)

struct Outcome {
  Case subject;
  Observation seen;
  Prediction prediction;
  Agreement agreement = Agreement::undecided;
  std::string disagreement = "";  // set for a contradiction: "ORD-004 predicts fails in apply; it fails in forward"
  std::string open_because = "";  // why it is open: "COM-002: saved_bytes_peak is not measured by ..."
  std::string explanation = "";   // a rule page's `because` that explains the contradiction; "" if none does
};

// Compares the observed verdict with the rules' prediction for `target`. A failure in another phase or with another message
// than the page's [[expect]] entry does not confirm the prediction.
Outcome outcome_of(const Case& subject, const Observation& seen, const Catalogue& catalogue, const Target& target);

// Checks claims that compare the runs of a page's two example stacks. The two of a commutes page must have equal verdicts and
// counters. For a slow or memory page, the counter must change from the good to the bad stack as claimed. Otherwise the bad
// stack's outcome becomes a contradiction, or open if the counter was not measured.
void hold_pairs_against_rules(const std::vector<Outcome*>& outcomes, const std::vector<Rule>& rules, const Target& target);

}  // namespace ordercheck
