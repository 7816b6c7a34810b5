// Predicts the verdict of a run of a stack on an engine, from the rules.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rules/catalogue.h"
#include "rules/grade.h"
#include "rules/job.h"
#include "rules/rule.h"
#include "rules/run_support.h"

namespace ordercheck {

struct Prediction {
  std::optional<Verdict> verdict;  // unset: rules fire, but none says anything about this engine and version
  std::string rule;                // id of the rule that decides the verdict; empty if no rule fires
  std::vector<std::string> fired;  // every rule that fires, by id
  Claim claim;                     // that rule's claim about this stack; equal if no rule fires
};

// Predicts the verdict of a run of the stack with its optimizer, by default AdamW (stack/trainer.h).
// - Equal if no rule fires. Also equal if only order rules that are not about the target fire, and a commutes rule about the
//   target covers each pair.
// - Otherwise the firing rule about the target with the first harm of this list decides: fails, hangs, wrong, ignored, slow,
//   memory (the last two predict equal). A run that fails or hangs hides what it would have computed.
// - Of two rules with the same harm, the one that implies the other decides, else the failure in the earlier phase.
// - An [[expect]] entry that is an exception from the harm (pins.h) does not change the prediction. The run contradicts it,
//   with an explanation.
Prediction predict(const Stack& stack, const Catalogue& catalogue, const Target& target, const Job& job = {});
Prediction predict(const Stack& stack, const std::vector<Rule>& rules, const Target& target, const Job& job = {});

// How to format patterns and conditions inside a sentence: unchanged for a terminal, as code spans on a page.
using Marking = std::function<std::string(const std::string&)>;
std::string unmarked(const std::string& text);

// The pattern that a rule flags, in words: "fsdp|hsdp applied before tp"; for a commutes rule "nothing: ac and fsdp may change
// places". Without the `when` condition.
std::string claim_of(const Rule& rule, const Marking& mark = unmarked);

// An [[expect]] entry of a page in words: "pytorch 2.11.0 shows fails in apply, \"Cannot distribute\"". `mark` is applied to
// the engine's message.
std::string expectation_in_words(const Expectation& expected, const Marking& mark);

// A rule in one line: "ORD-004 incidental (cited): FSDP shards what TP left [torchtitan#1554, 2025-08-13]".
std::string because(const Rule& rule, const Grade& grade);

// A citation in text: "[torchtitan#1554, 2025-08-13]".
std::string cited_briefly(const Citation& citation);

}  // namespace ordercheck
