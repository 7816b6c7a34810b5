#include "rule/prediction.h"

#include <algorithm>
#include <array>

#include "rule/match.h"

namespace ordercheck {
namespace {

// What a run shows first, not what is worst: a run that ended early computed nothing that could differ.
constexpr std::array kStrength{Harm::fails, Harm::hangs, Harm::wrong, Harm::ignored, Harm::slow, Harm::memory};

auto strength(const Rule& rule) { return std::ranges::find(kStrength, rule.harm) - kStrength.begin(); }

// The commutes rule that lets every pair change places which fired; null when some firing is no such pair.
const Rule* commuting_rule(const std::vector<std::vector<Firing>>& fired, const Stack& stack, const std::vector<Rule>& rules,
                           const Target& target, std::optional<int> ranks) {
  for (const Rule& rule : rules) {
    if (rule.kind != RuleKind::commutes || !holds_for(rule, target)) continue;
    const std::vector<CommutingPair> pairs = commuting_pairs(rule, stack, ranks);
    const auto covered = [&](const Firing& firing) {
      return firing.items.size() == 2 &&
             std::ranges::find(pairs, CommutingPair{firing.items[0], firing.items[1]}) != pairs.end();
    };
    if (std::ranges::all_of(fired, [&](const auto& firings) { return std::ranges::all_of(firings, covered); })) return &rule;
  }
  return nullptr;
}

}  // namespace

bool departs(const Rule& rule, const Expectation& expectation) {
  const Verdict harm = rule.kind == RuleKind::commutes ? Verdict::equal : verdict_of(rule.harm);
  return expectation.verdict != harm;
}

const Expectation* expectation_for(const Rule& rule, const std::string& engine, const Version& version) {
  const Expectation* best = nullptr;
  for (const Expectation& candidate : rule.expectations) {
    if (candidate.engine != engine) continue;
    const bool early = candidate.version <= version;
    const bool best_early = best != nullptr && best->version <= version;
    const bool better = best == nullptr || (early && !best_early) ||
                        (early && best_early && candidate.version > best->version) ||
                        (!early && !best_early && candidate.version < best->version);
    if (better) best = &candidate;
  }
  return best;
}

Prediction predict(const Stack& stack, const std::vector<Rule>& rules, const Target& target, std::optional<int> ranks) {
  Prediction prediction;
  const Rule* strongest = nullptr;
  bool only_orders = true;
  std::vector<std::vector<Firing>> where;
  for (const Rule& rule : rules) {
    where.push_back(firings(rule, stack, ranks));
    if (where.back().empty()) continue;
    only_orders = only_orders && rule.kind == RuleKind::order;
    prediction.fired.push_back(rule.id);
    for (const Expectation& expected : rule.expectations)
      if (expected.engine == target.project && target.version && expected.version == *target.version &&
          departs(rule, expected))
        prediction.departures.push_back(expected);
    if (holds_for(rule, target) && (strongest == nullptr || strength(rule) < strength(*strongest))) strongest = &rule;
  }
  std::ranges::sort(prediction.fired);
  if (prediction.fired.empty()) {
    prediction.verdict = Verdict::equal;
  } else if (strongest != nullptr) {
    prediction.verdict = verdict_of(strongest->harm);
    prediction.rule = strongest->id;
    if (target.version)
      if (const Expectation* expected = expectation_for(*strongest, target.project, *target.version))
        if (!departs(*strongest, *expected)) prediction.expectation = *expected;
  } else if (only_orders) {
    if (const Rule* commutes = commuting_rule(where, stack, rules, target, ranks)) {
      prediction.verdict = Verdict::equal;
      prediction.rule = commutes->id;
    }
  }
  return prediction;
}

}  // namespace ordercheck
