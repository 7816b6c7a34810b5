// What the rules say that an engine will show for a stack.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rule/rule.h"

namespace ordercheck {

struct Prediction {
  std::optional<Verdict> verdict;          // nothing: open, no rule that fires speaks about this engine and version
  std::string rule;                        // whose harm, or which commutes page, predicts; empty when no rule fires
  std::vector<std::string> fired;          // every rule that fires, in order of id
  std::optional<Expectation> expectation;  // of the predicting rule for this engine: phase, message, counter
  std::vector<Expectation> departures;     // where pages of fired rules say that this version departs from the harm
  friend bool operator==(const Prediction&, const Prediction&) = default;
};

// No rule fires: equal; so too where only order rules about others fire, on pairs that a commutes rule which holds for the
// target covers. Otherwise the strongest rule that fires and holds for the target: one that fails or hangs hides
// what the run would have computed, so fails, hangs, wrong, ignored, then slow and memory (equal).
// Departures do not change the prediction: a contradiction stays one, but an explained one.
Prediction predict(const Stack& stack, const std::vector<Rule>& rules, const Target& target,
                   std::optional<int> ranks = {});

// The expectation that speaks about an engine and version: of that version, else of the newest one before it, else the
// oldest. Null when there is none.
const Expectation* expectation_for(const Rule& rule, const std::string& engine, const Version& version);

// An expectation whose verdict is not what the harm shows.
bool departs(const Rule& rule, const Expectation& expectation);

}  // namespace ordercheck
