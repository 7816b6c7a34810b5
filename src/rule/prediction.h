// What the rules say that an engine will show for a stack.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rule/bears_out.h"
#include "rule/catalogue.h"
#include "rule/job.h"
#include "rule/rule.h"

namespace ordercheck {

struct Prediction {
  std::optional<Verdict> verdict;  // nothing: open, no rule that fires speaks about this engine and version
  std::string rule;                // whose harm, or which commutes page, predicts; empty when no rule fires
  std::vector<std::string> fired;  // every rule that fires, in order of id
  Claim claim;                     // what the predicting rule says of this stack; equal where no rule fires
};

// Of the stack as it is trained (stack/trainer.h). No rule fires: equal; so too where only order rules about others fire, on
// pairs that a commutes rule which holds for the target covers. Otherwise the strongest rule that fires and holds for the target:
// one that fails or hangs hides what the run would have computed, so fails, hangs, wrong, ignored, then slow and memory (equal).
// Of two that are as strong, one that implies the other, else the failure of the earlier phase. A departure does not change the
// prediction of its page: a contradiction stays one, but an explained one.
Prediction predict(const Stack& stack, const Catalogue& catalogue, const Target& target, const Job& job = {});
Prediction predict(const Stack& stack, const std::vector<Rule>& rules, const Target& target, const Job& job = {});

}  // namespace ordercheck
