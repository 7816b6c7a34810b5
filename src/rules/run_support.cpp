#include "rules/run_support.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "base/text.h"
#include "record/counters.h"
#include "rules/counters.h"
#include "rules/pins.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

bool ended_early(Verdict verdict) { return verdict == Verdict::fails || verdict == Verdict::hangs; }

bool shows_nothing(Verdict verdict) { return verdict == Verdict::unrun || verdict == Verdict::unstable; }

Borne foreign(const std::string& said, const std::string& seen) {
  return {Bearing::foreign, fmt::format("a foreign failure: the rule says {}, seen {}", said, seen), ""};
}

// Compares a failed run with a claim "fails". A missing package must not confirm every such claim. So the phase and message
// must be those of an [[expect]] entry; without an entry, the run decides nothing.
Borne of_failure(const Expectation& shown, const Observation& seen) {
  if (!shown.phase || shown.message.empty())
    return {Bearing::undecided, "it fails, but no rule pins in which phase and with what message", ""};
  if (!seen.phase || *shown.phase != *seen.phase)
    return foreign(fmt::format("in {}", name_of(*shown.phase)),
                   seen.phase ? fmt::format("in {}", name_of(*seen.phase)) : "in no phase");
  if (seen.message.find(shown.message) == std::string::npos)
    return foreign(fmt::format("\"{}\"", shown.message), fmt::format("\"{}\"", seen.message));
  return {Bearing::borne_out, fmt::format("\"{}\"", seen.message), ""};
}

Borne of_hang(const Expectation& shown, const Observation& seen) {
  if (shown.operation.empty() || shown.group.empty())
    return {Bearing::undecided, "it hangs, but no rule pins in which operation and on which group", ""};
  const std::string said = fmt::format("{} on {}", shown.operation, shown.group);
  const std::string there = seen.operation.empty() ? "in no operation" : fmt::format("{} on {}", seen.operation, seen.group);
  if (shown.operation != seen.operation || shown.group != seen.group) return foreign(said, there);
  return {Bearing::borne_out, fmt::format("in {}", there), ""};
}

bool is_named_by(const Pattern& loses, const std::string& item) {
  const Result<Stack> stack = parse_stack(item);
  return stack && stack->items.size() == 1 && matches(loses, stack->items.front());
}

// Compares a run with a claim "ignored". The transform that the claim names must have lost its effect. If another one did, the
// run refutes the claim, as if none had.
Borne of_loss(const Expectation& shown, const Observation& seen) {
  if (shown.loses.any_of.empty()) return {Bearing::undecided, "no rule says which transform loses its effect", ""};
  const std::vector<Effect> lost = lost_effects(seen.effects);
  // Ignored for another reason, such as parameters that never changed.
  if (lost.empty()) return {Bearing::foreign, reason_of(seen), ""};
  const auto named =
      std::ranges::find_if(lost, [&](const Effect& effect) { return is_named_by(shown.loses, effect.transform); });
  if (named == lost.end())
    return {Bearing::departed, fmt::format("{} lost its effect, not {}", join(lost_items(seen), ", "), print(shown.loses)), ""};
  if (shown.loses_part && !named->partly)
    return {Bearing::departed, fmt::format("{} lost all of its effect, not a part of it", named->transform), ""};
  return {Bearing::borne_out, reason_of(seen), ""};
}

Borne of_move(const Expectation& shown, const Observation& seen, const Observation* beside) {
  if (beside == nullptr || !is_of_kind(Verdict::equal, beside->verdict))
    return {Bearing::undecided, "the good stack did not run equal", ""};
  const std::int64_t bad = value_in(counter_values(seen), shown.counter);
  const std::int64_t good = value_in(counter_values(*beside), shown.counter);
  if (!is_measured(bad) || !is_measured(good)) return {Bearing::undecided, not_measured_by(seen.engine, shown.counter), ""};
  const bool moved = shown.move == Move::more ? bad > good : shown.move == Move::less ? bad < good : bad == good;
  const std::string numbers = fmt::format("{} is {} against {} in the good stack", shown.counter, bad, good);
  if (moved) return {Bearing::borne_out, numbers, ""};
  return {Bearing::departed, fmt::format("{}, not {}", numbers, name_of(shown.move)), ""};
}

// Compares the runs of two orders with a claim that they commute: both must be right and equal in every measured counter. Two
// runs that are wrong in the same way decide nothing, since an engine bug may affect both.
Borne of_commuting(const Observation& one, const Observation* other) {
  if (other == nullptr || shows_nothing(other->verdict)) return {Bearing::undecided, "only one of the two orders ran", ""};
  const auto is_equal = [](const Observation& seen) { return is_of_kind(Verdict::equal, seen.verdict); };
  if (is_equal(one) != is_equal(*other))
    return {Bearing::departed,
            fmt::format("{} is {}, {} is {}", one.case_text, name_of(one.verdict), other->case_text, name_of(other->verdict)),
            ""};
  if (!is_equal(one))
    return {Bearing::undecided,
            fmt::format("neither order ran equal: one {}, the other {}", name_of(one.verdict), name_of(other->verdict)), ""};
  const CounterValues here = counter_values(one), there = counter_values(*other);
  const CountersHeld held = hold_counters(here, there);
  if (!held.apart.empty())
    return {Bearing::departed,
            fmt::format("{} is {} and {}", held.apart, value_in(here, held.apart), value_in(there, held.apart)), ""};
  if (!held.unmeasured.empty()) return {Bearing::undecided, not_measured_by(one.engine, held.unmeasured), ""};
  return {Bearing::borne_out, "equal numbers and counters", ""};
}

Borne of_counters(const Claim& claim, const Observation& seen, const Observation* beside, Borne so_far) {
  if (claim.shown.move != Move::none) return of_move(claim.shown, seen, beside);
  if (claim.counted == Counted::cost)
    return {Bearing::undecided, "equal numbers say nothing about cost, and no rule pins a counter that moves", ""};
  return so_far;
}

Borne of_harm(const Claim& claim, const Observation& seen, const Observation* beside) {
  const Verdict said = claim.shown.verdict;
  if (shows_nothing(seen.verdict))
    return {Bearing::undecided, fmt::format("{}, so nothing is shown", name_of(seen.verdict)), ""};
  if (claim.counted == Counted::the_same) return of_commuting(seen, beside);
  if (!is_of_kind(said, seen.verdict)) {
    // It ended before the harm could show, which neither confirms nor refutes the claim.
    if (ended_early(seen.verdict)) return {Bearing::foreign, fmt::format("a foreign failure: \"{}\"", seen.message), ""};
    // A cost compares two correct stacks. If one is wrong, the difference has another cause.
    if (claim.counted == Counted::cost && is_harm(seen.verdict))
      return {Bearing::undecided, fmt::format("it ran {}, so its cost says nothing", name_of(seen.verdict)), ""};
    if (claim.counted == Counted::cost && beside != nullptr && !is_of_kind(Verdict::equal, beside->verdict))
      return {Bearing::undecided,
              fmt::format("the good stack ran {} too, so the order decides nothing", name_of(beside->verdict)), ""};
    return {Bearing::departed, fmt::format("{} where {} was expected", name_of(seen.verdict), name_of(said)), ""};
  }
  // If the good example stack gives wrong numbers too, the cause is not this rule.
  if (said == Verdict::differs && beside != nullptr && beside->verdict == Verdict::differs)
    return {Bearing::undecided, "the good stack ran differs too, so the bad one decides nothing", ""};
  Borne borne{Bearing::borne_out, seen.message, ""};
  if (said == Verdict::fails) borne = of_failure(claim.shown, seen);
  if (said == Verdict::hangs) borne = of_hang(claim.shown, seen);
  if (said == Verdict::ignored) borne = of_loss(claim.shown, seen);
  return borne.bearing == Bearing::borne_out ? of_counters(claim, seen, beside, borne) : borne;
}

std::vector<Expectation> departures_of(const Rule& rule, const Stack& stack, const std::string& engine,
                                       const std::optional<Version>& version) {
  std::vector<Expectation> found;
  if (version)
    for (const Expectation* pin : departures_for(rule, engine, *version, stack)) found.push_back(*pin);
  return found;
}

}  // namespace

bool is_harm(Verdict verdict) {
  return verdict == Verdict::differs || verdict == Verdict::fails || verdict == Verdict::hangs || verdict == Verdict::ignored;
}

bool is_of_kind(Verdict said, Verdict seen) { return said == seen || (said == Verdict::equal && shows_parity(seen)); }

Borne bears_out(const Claim& claim, const Observation& seen, const Observation* beside) {
  // Check the harm first, then the pinned departures. A departure stays one even if the page explains it: the claim alone would
  // mislead a reader.
  Borne borne = of_harm(claim, seen, beside);
  if (borne.bearing == Bearing::borne_out) return borne;
  for (const Expectation& departure : claim.departures) {
    if (of_harm({.shown = departure}, seen, beside).bearing != Bearing::borne_out) continue;
    borne.bearing = Bearing::departed;
    borne.because = departure.because;
    break;
  }
  return borne;
}

Claim claim_on_witness(const Rule& rule, const std::string& engine, const std::optional<Version>& version) {
  Claim claim{.shown = {.verdict = verdict_of(rule.harm)}};
  if (const Expectation* detail = version ? detail_for(rule, engine, *version) : nullptr) claim.shown = *detail;
  claim.shown.loses = rule.loses;
  claim.shown.loses_part = rule.loses_part;
  if (is_cost(rule)) claim.counted = Counted::cost;
  if (rule.kind == RuleKind::commutes) {
    claim.shown.verdict = Verdict::equal;
    claim.counted = Counted::the_same;
  }
  claim.departures = departures_of(rule, rule.witness.bad, engine, version);
  return claim;
}

Claim claim_on_stack(const Rule& rule, const Stack& stack, const std::string& engine, const std::optional<Version>& version) {
  Claim claim = claim_on_witness(rule, engine, version);
  if (const Expectation* detail = version ? detail_for(rule, engine, *version, stack) : nullptr) {
    claim.shown = *detail;
    claim.shown.loses = rule.loses;
    claim.shown.loses_part = rule.loses_part;
  }
  claim.counted = Counted::as_pinned;
  claim.shown.move = Move::none;
  claim.departures = departures_of(rule, stack, engine, version);
  for (Expectation& departure : claim.departures) departure.move = Move::none;
  return claim;
}

}  // namespace ordercheck
