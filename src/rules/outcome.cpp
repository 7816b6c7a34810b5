#include "rules/outcome.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "rules/job.h"
#include "rules/pins.h"
#include "rules/run_support.h"

namespace ordercheck {
namespace {

// Marks the outcome as a contradiction, but as open for a case with a user's `apply`: the function need not build what the
// stack says, so its run contradicts no rule.
void contradict(Outcome& outcome, std::string what, std::string explanation) {
  if (const std::string& own = outcome.subject.apply; !own.empty()) {
    outcome.agreement = Agreement::open;
    outcome.open_because = fmt::format("{}. {} may build something else than rules speak of", what, own);
    return;
  }
  outcome.agreement = Agreement::contradiction;
  outcome.disagreement = std::move(what);
  outcome.explanation = std::move(explanation);
  outcome.open_because.clear();
}

// Changes a confirmed outcome to open, because a counter of the claim was not measured.
void leave_open(Outcome& outcome, const std::string& rule, const std::string& why) {
  if (outcome.agreement != Agreement::confirmed) return;
  outcome.agreement = Agreement::open;
  outcome.open_because = fmt::format("{}: {}", rule, why);
}

// The outcome of an example stack of a rule page, run with the page's model and settings; null if it is not among `outcomes`.
Outcome* find_outcome(const std::vector<Outcome*>& outcomes, const Stack& stack, const Witness& witness) {
  const auto found = std::ranges::find_if(outcomes, [&](const Outcome* one) {
    return one->subject.stack == stack && one->subject == case_of(stack, witness, one->subject.engine);
  });
  return found == outcomes.end() ? nullptr : *found;
}

// Checks what a rule claims about the runs of its two example stacks together. outcome_of() has compared each alone.
void hold_pair(Outcome& bad, const Outcome& good, const Rule& rule, const Target& target) {
  const Claim claim = claim_on_witness(rule, target.project, target.version);
  const bool commutes = claim.counted == Counted::the_same;
  const bool moves = claim.counted == Counted::cost || claim.shown.move != Move::none;
  if (!commutes && !(moves && is_of_kind(claim.shown.verdict, bad.seen.verdict))) return;
  const Borne borne = bears_out(claim, bad.seen, &good.seen);
  switch (borne.bearing) {
    case Bearing::borne_out: return;
    case Bearing::undecided:
      if (is_of_kind(claim.shown.verdict, bad.seen.verdict)) leave_open(bad, rule.id, borne.why);
      return;
    case Bearing::departed:
    case Bearing::foreign:
      return contradict(bad, fmt::format("{}{} {}", rule.id, commutes ? " says that the orders commute;" : ":", borne.why),
                        borne.because);
  }
}

void hold_against_rules(Outcome& outcome) {
  const Verdict seen = outcome.seen.verdict;
  const Prediction& predicted = outcome.prediction;
  if (seen == Verdict::unrun || seen == Verdict::unstable) {
    outcome.agreement = Agreement::undecided;
    return;
  }
  if (!predicted.verdict) {
    outcome.agreement = Agreement::open;
    if (is_harm(seen))
      contradict(outcome, fmt::format("no rule predicts it for this engine and version; seen: {}", name_of(seen)), "");
    return;
  }
  // Rules assume that layouts agree bitwise, which plain arithmetic does not give.
  if (seen == Verdict::differs && outcome.subject.settings.arithmetic == Arithmetic::plain) {
    outcome.agreement = Agreement::open;
    return;
  }
  const std::string who = predicted.rule.empty() ? "no rule flags it, so equal is predicted"
                                                 : fmt::format("{} predicts {}", predicted.rule, name_of(*predicted.verdict));
  const Borne borne = bears_out(predicted.claim, outcome.seen, nullptr);
  outcome.agreement = Agreement::confirmed;
  switch (borne.bearing) {
    case Bearing::borne_out: return;
    case Bearing::undecided: return leave_open(outcome, predicted.rule, borne.why);
    case Bearing::departed:
    case Bearing::foreign: {
      const bool alike = is_of_kind(*predicted.verdict, seen);
      const std::string showed = alike ? borne.why : fmt::format("seen: {}", name_of(seen));
      return contradict(outcome, fmt::format("{}; {}", who, showed), borne.because);
    }
  }
}

}  // namespace

Outcome outcome_of(const Case& subject, const Observation& seen, const Catalogue& catalogue, const Target& target) {
  Outcome outcome{.subject = subject, .seen = seen, .prediction = predict(subject.stack, catalogue, target, job_of(subject))};
  hold_against_rules(outcome);
  return outcome;
}

void hold_pairs_against_rules(const std::vector<Outcome*>& outcomes, const std::vector<Rule>& rules, const Target& target) {
  for (const Rule& rule : rules) {
    if (!holds_for(rule, target)) continue;
    Outcome* bad = find_outcome(outcomes, rule.witness.bad, rule.witness);
    const Outcome* good = find_outcome(outcomes, rule.witness.good, rule.witness);
    if (!bad || !good || bad->agreement == Agreement::undecided || good->agreement == Agreement::undecided) continue;
    hold_pair(*bad, *good, rule, target);
  }
}

}  // namespace ordercheck
