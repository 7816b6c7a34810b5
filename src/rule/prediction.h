// What the rules say that an engine will show for a stack.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rule/bears_out.h"
#include "rule/catalogue.h"
#include "rule/grade.h"
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

// What a rule flags, in words.

// How patterns and conditions stand out from the words around them: as they are on a terminal, as code spans on a page.
using Marking = std::function<std::string(const std::string&)>;
std::string unmarked(const std::string& text);

// "fsdp|hsdp applied before tp"; of a commutes page "nothing: ac and fsdp may change places". Without the condition.
std::string claim_of(const Rule& rule, const Marking& mark = unmarked);

// "pytorch 2.11.0 shows fails in apply, \"Cannot distribute\"": what a page pins for one engine and version. `mark` is for
// what the engine says.
std::string expectation_in_words(const Expectation& expected, const Marking& mark);

// "ORD-004 incidental (cited): FSDP shards what TP left [torchtitan#1554, 2025-08-13]": a page in one line.
std::string because(const Rule& rule, const Grade& grade);

// "[torchtitan#1554, 2025-08-13]": a citation as a line of text names it.
std::string cited_briefly(const Citation& citation);

}  // namespace ordercheck
