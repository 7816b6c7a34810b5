#include "rules/pins.h"

#include <algorithm>

namespace ordercheck {
bool is_cost(const Rule& rule) {
  return rule.kind != RuleKind::commutes && (rule.harm == Harm::slow || rule.harm == Harm::memory);
}

bool departs(const Rule& rule, const Expectation& pin) {
  const Verdict harm = rule.kind == RuleKind::commutes ? Verdict::equal : verdict_of(rule.harm);
  return pin.verdict != harm || (is_cost(rule) && pin.move == Move::same) || (pin.stack && !pin.because.empty());
}

const Expectation* detail_for(const Rule& rule, const std::string& engine, const Version& version,
                              const std::optional<Stack>& stack) {
  const Expectation* best = nullptr;
  for (const Expectation& candidate : rule.expectations) {
    if (candidate.engine != engine || candidate.stack != stack || departs(rule, candidate)) continue;
    const bool early = candidate.version <= version;
    const bool best_early = best != nullptr && best->version <= version;
    const bool better = best == nullptr || (early && !best_early) ||
                        (early && best_early && candidate.version > best->version) ||
                        (!early && !best_early && candidate.version < best->version);
    if (better) best = &candidate;
  }
  return best;
}

std::vector<const Expectation*> departures_for(const Rule& rule, const std::string& engine, const Version& version,
                                               const Stack& stack) {
  std::vector<const Expectation*> of_stack, everywhere;
  for (const Expectation& pin : rule.expectations) {
    if (pin.engine != engine || pin.version != version || !departs(rule, pin)) continue;
    if (pin.stack == stack) of_stack.push_back(&pin);
    if (!pin.stack) everywhere.push_back(&pin);
  }
  return of_stack.empty() ? everywhere : of_stack;
}

const Expectation* departure_for(const Rule& rule, const std::string& engine, const Version& version, const Stack& stack) {
  const std::vector<const Expectation*> pins = departures_for(rule, engine, version, stack);
  return pins.empty() ? nullptr : pins.front();
}

Case case_of(const Stack& stack, const Witness& witness, const std::string& engine) {
  Case c = usual_case(stack, witness.model, engine);
  if (witness.accumulation) c.settings.accumulation = *witness.accumulation;
  return c;
}

const Observation* find_run(const std::vector<Observation>& all, const Stack& stack, const Witness& witness,
                            const std::string& engine, const std::string& version, const std::optional<std::string>& on) {
  const std::string text = print(case_of(stack, witness, engine));  // the name of the case in evidence
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const Observation& seen) {
    return seen.case_text == text && seen.engine == engine && seen.version == version && (!on || seen.on == *on);
  });
  return found == all.rend() ? nullptr : &*found;
}

}  // namespace ordercheck
