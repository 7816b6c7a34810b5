#include "rule/prediction.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "rule/match.h"
#include "stack/trainer.h"

namespace ordercheck {
namespace {

// What a run shows first, not what is worst: a run that ended early computed nothing that could differ.
constexpr std::array kStrength{Harm::fails, Harm::hangs, Harm::wrong, Harm::ignored, Harm::slow, Harm::memory};

auto strength(const Rule& rule) { return std::ranges::find(kStrength, rule.harm) - kStrength.begin(); }

// Of two that are as strong, the one that knows of the other: it is about the narrower case, and pins what that shows. Of two
// failures that know nothing of each other, the one of the earlier phase: the run ends there.
bool predicts_before(const Rule& rule, const Claim& claim, const Rule& other, const Claim& of_other) {
  if (strength(rule) != strength(other)) return strength(rule) < strength(other);
  if (contains(rule.implies, other.id) || contains(other.implies, rule.id)) return contains(rule.implies, other.id);
  return claim.shown.phase && of_other.shown.phase && *claim.shown.phase < *of_other.shown.phase;
}

// The commutes rule that lets every pair change places which fired; null when some firing is no such pair.
const Rule* commuting_rule(const std::vector<std::vector<Firing>>& fired, StackMatch& match, const Catalogue& catalogue,
                           const Target& target) {
  for (const std::size_t page : places_in(match.commuting())) {
    const Rule& rule = catalogue.pages()[page];
    if (!holds_for(rule, target)) continue;
    const std::vector<CommutingPair> pairs = match.commuting_pairs(page);
    const auto covered = [&](const Firing& firing) {
      return firing.items.size() == 2 && contains(pairs, CommutingPair{firing.items[0], firing.items[1]});
    };
    if (std::ranges::all_of(fired, [&](const auto& firings) { return std::ranges::all_of(firings, covered); })) return &rule;
  }
  return nullptr;
}

}  // namespace

Prediction predict(const Stack& stack, const std::vector<Rule>& rules, const Target& target, const Job& job) {
  return predict(stack, Catalogue(rules), target, job);
}

Prediction predict(const Stack& stack, const Catalogue& catalogue, const Target& target, const Job& job) {
  Prediction prediction{.claim = {.shown = {.verdict = Verdict::equal}}};
  const Stack trained = with_trainer(stack);
  const Rule* strongest = nullptr;
  bool only_orders = true;
  std::vector<std::vector<Firing>> where;
  const ConditionValues values = values_of(job);
  StackMatch match(catalogue, trained, values, MissingDegrees::as_run);
  for (const std::size_t page : places_in(match.fired())) {
    const Rule& rule = catalogue.pages()[page];
    if (is_silent_for(rule, target.project)) continue;
    where.push_back(match.firings(page));
    only_orders = only_orders && rule.kind == RuleKind::order;
    prediction.fired.push_back(rule.id);
    if (!holds_for(rule, target)) continue;
    Claim claim = claim_on_stack(rule, stack, target.project, target.version);
    if (strongest != nullptr && !predicts_before(rule, claim, *strongest, prediction.claim)) continue;
    strongest = &rule;
    prediction.claim = std::move(claim);
  }
  std::ranges::sort(prediction.fired);
  if (prediction.fired.empty()) {
    prediction.verdict = Verdict::equal;
  } else if (strongest != nullptr) {
    prediction.verdict = verdict_of(strongest->harm);
    prediction.rule = strongest->id;
  } else if (only_orders) {
    if (const Rule* commutes = commuting_rule(where, match, catalogue, target)) {
      prediction.verdict = Verdict::equal;
      prediction.rule = commutes->id;
    }
  }
  return prediction;
}

}  // namespace ordercheck
