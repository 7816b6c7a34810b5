#include "rules/prediction.h"

#include <algorithm>
#include <array>
#include <cassert>

#include <fmt/format.h>

#include "base/text.h"
#include "rules/match.h"
#include "stack/notation.h"
#include "stack/trainer.h"

namespace ordercheck {
namespace {

// Harms in the order in which a run shows them: a run that fails or hangs computes nothing that could differ.
constexpr std::array kStrength{Harm::fails, Harm::hangs, Harm::wrong, Harm::ignored, Harm::slow, Harm::memory};

auto strength(const Rule& rule) { return std::ranges::find(kStrength, rule.harm) - kStrength.begin(); }

// Of two equally strong rules, prefers the one that implies the other: it covers the narrower case and pins it. Of two
// unrelated failures, prefers the earlier phase, where the run ends.
bool predicts_before(const Rule& rule, const Claim& claim, const Rule& other, const Claim& of_other) {
  if (strength(rule) != strength(other)) return strength(rule) < strength(other);
  if (contains(rule.implies, other.id) || contains(other.implies, rule.id)) return contains(rule.implies, other.id);
  return claim.shown.phase && of_other.shown.phase && *claim.shown.phase < *of_other.shown.phase;
}

// The commutes rule that allows every fired pair to swap; null if some firing is not such a pair.
const Rule* commuting_rule(const std::vector<std::vector<Firing>>& fired, StackMatch& match, const Catalogue& catalogue,
                           const Target& target) {
  for (const std::size_t page : match.commuting()) {
    const Rule& rule = catalogue.pages()[page];
    if (!holds_for(rule, target)) continue;
    const std::vector<CommutingPair> pairs = match.commuting_pairs(page);
    const auto covered = [&](const Firing& firing) {
      return firing.size() == 2 && contains(pairs, CommutingPair{firing[0], firing[1]});
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
  // A run uses kMissingDegree for unwritten degrees.
  StackMatch match(catalogue, trained, values, MissingDegrees::as_run);
  for (const std::size_t page : match.fired()) {
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

std::string unmarked(const std::string& text) { return text; }

std::string claim_of(const Rule& rule, const Marking& mark) {
  const std::string one = mark(print(rule.one)), other = mark(print(rule.other));
  switch (rule.kind) {
    case RuleKind::order:
      return fmt::format("{} applied before {}", one, other) +
             (rule.between.any_of.empty() ? "" : ", with " + mark(print(rule.between)) + " between");
    case RuleKind::clash: return fmt::format("{} together with {}", one, other);
    case RuleKind::needs: return fmt::format("{} without {}", one, other);
    case RuleKind::fits: return one.empty() ? "the mesh" : one;
    case RuleKind::effect: return other.empty() ? one : fmt::format("{} where {} is", one, other);
    case RuleKind::commutes: return fmt::format("nothing: {} and {} may change places", one, other);
  }
  assert(false && "a rule is of six kinds");
  return "";
}

std::string expectation_in_words(const Expectation& expected, const Marking& mark) {
  const std::string where = expected.stack ? " on " + mark(print(*expected.stack)) : "";
  std::string text =
      fmt::format("{} {} shows {}{}", expected.engine, print(expected.version), name_of(expected.verdict), where);
  if (expected.phase) text += fmt::format(" in {}", name_of(*expected.phase));
  if (!expected.message.empty()) text += ", " + mark(expected.message);
  if (!expected.operation.empty()) text += fmt::format(", {} on {}", mark(expected.operation), expected.group);
  if (expected.verdict == Verdict::ignored)
    text += fmt::format(", {} {}", mark(print(expected.loses)),
                        expected.loses_part ? "with only a part of its effect" : "without effect");
  if (expected.move != Move::none) text += fmt::format(", {} {}", name_of(expected.move), mark(expected.counter));
  if (!expected.because.empty()) text += ": " + expected.because;
  return text;
}

std::string because(const Rule& rule, const Grade& grade) {
  const std::string cited = rule.citations.empty() ? "" : " " + cited_briefly(rule.citations.front());
  return fmt::format("{} {} ({}): {}{}", rule.id, name_of(rule.basis), print(grade), reason_of(rule), cited);
}

std::string cited_briefly(const Citation& citation) {
  return fmt::format("[{}, {}]", short_name(citation), citation.date == "unknown" ? "undated" : citation.date);
}

}  // namespace ordercheck
