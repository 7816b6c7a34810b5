#include "record/verdict_of_runs.h"

#include <algorithm>
#include <cassert>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "record/finite.h"
#include "record/own_code.h"
#include "record/verdict.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

constexpr const char* kMeantToDiffer = "; if that is intended, set local_buffers on the function or the factory";
constexpr const char* kOutsideTheRange = "; smaller sizes or values stay within it, and --arithmetic float32 has none";
constexpr const char* kInFloat32 = "; seen with the code that the compiler writes, in float32 arithmetic";
constexpr const char* kNotWithOperators = "; with operators in exact arithmetic it does not differ";

Verdict verdict_of_ending(Ending ending) {
  switch (ending) {
    case Ending::failed:
    case Ending::died:
    case Ending::garbled: return Verdict::fails;
    case Ending::deadlocked:
    case Ending::timed_out: return Verdict::hangs;
    case Ending::out_of_range:
    case Ending::unsupported:
    case Ending::killed:
    case Ending::unstarted:
    case Ending::completed: return Verdict::unrun;
  }
  assert(false && "every ending has a verdict");
  return Verdict::unrun;
}

Observation decided(Observation so_far, Verdict verdict, std::string message) {
  so_far.verdict = verdict;
  so_far.message = std::move(message);
  return so_far;
}

// The observation with everything from the record itself; the verdict is set later.
Observation begin(const Case& subject, const Record& record) {
  Observation seen{.engine = subject.engine,
                   .version = version_of(record.versions),
                   .case_text = print(subject),
                   .ending = record.ending,
                   .digest = digest(record)};
  if (record.failure) {
    seen.phase = record.failure->phase;
    seen.module = record.failure->module;
    seen.operation = record.failure->operation;
    seen.group = record.failure->group;
  }
  if (record.ending == Ending::completed) {
    seen.counters = record.counters;
    seen.collectives = record.collectives;
  }
  return seen;
}

// The verdict `differs`, with the first difference of `got` from `expected`; nullopt if they are equal.
std::optional<Observation> differs_from(const Record& expected, const char* against, const Record& got,
                                        const Observation& so_far, Verdict verdict) {
  auto difference = first_difference(expected, got);
  if (!difference) return std::nullopt;
  Observation seen = so_far;
  seen.difference = *difference;
  return decided(std::move(seen), verdict,
                 fmt::format("{} ({} differ){}", in_words(*difference, against), extent_of_difference(expected, got),
                             difference->what.starts_with("buffer ") ? kMeantToDiffer : ""));
}

// The verdict on a run that exceeded the range of exact arithmetic: `differs` if the reference shows that a correct layout
// would not exceed it (left_range_alone), else `unrun`.
Observation out_of_range(const Comparison& c, const Observation& so_far) {
  const bool owed = is_held_against_one_rank(c.subject, c.first);
  if (!owed || !c.reference || !left_range_alone(*c.reference, c.first))
    return decided(so_far, Verdict::unrun, ending_in_words(c.first) + kOutsideTheRange);
  return decided(so_far, Verdict::differs,
                 fmt::format("{}; the single-rank reference uses {:.1f}% of the range", ending_in_words(c.first),
                             100 * c.reference->range_used));
}

std::optional<Observation> unlike_itself(const Comparison& c, const Observation& so_far) {
  if (!c.again) return decided(so_far, Verdict::unrun, "the second run of the same case is missing");
  if (says_nothing(c.again->ending))
    return decided(so_far, Verdict::unrun, "completed once; then " + ending_in_words(*c.again));
  if (c.again->ending != Ending::completed)
    return decided(so_far, Verdict::unstable, "completed once; then " + ending_in_words(*c.again));
  // NaNs from uninitialized memory need not have equal bits. Go on, so that the finite check reports them.
  if (first_not_finite(c.first) && first_not_finite(*c.again)) return std::nullopt;
  return differs_from(*c.again, "the second run", c.first, so_far, Verdict::unstable);
}

// Handles NaN and infinite numbers. `differs` if only this run has them. `unrun` if the single-rank reference has them too or
// is missing, since equal NaNs prove nothing. Else nullopt.
std::optional<Observation> not_finite(const Comparison& c, const Observation& so_far) {
  const bool completed = c.reference && c.reference->ending == Ending::completed;
  if (const auto there = completed ? first_not_finite(*c.reference) : std::nullopt)
    return decided(
        so_far, Verdict::unrun,
        fmt::format("the single-rank reference is not finite: {} of step {} is {}", there->what, there->step, there->got));
  auto here = first_not_finite(c.first);
  if (!here) return std::nullopt;
  if (!completed)
    return decided(so_far, Verdict::unrun,
                   fmt::format("{} of step {} is {}, and no single-rank reference says whether it should be", here->what,
                               here->step, here->got));
  if (is_held_against_one_rank(c.subject, c.first)) return std::nullopt;  // the bitwise comparison reports the first difference
  const StepRecord& owed = c.reference->steps.at(static_cast<std::size_t>(here->step));
  here->expected = hex((here->what == "loss" ? owed.loss : owed.gradient_norm).at(0));
  Observation seen = so_far;
  seen.difference = *here;
  return decided(std::move(seen), Verdict::differs, in_words(*here, "the single-rank reference"));
}

// The verdict `unrun` if a parameter was added on the ranks of the case, and not on one rank.
std::optional<Observation> compared_with_nothing(const Comparison& c, const Observation& so_far) {
  if (!c.reference || c.reference->ending != Ending::completed) return std::nullopt;
  const std::string why = added_on_several_ranks_only(c.subject, c.first, *c.reference);
  return why.empty() ? std::nullopt : std::optional(decided(so_far, Verdict::unrun, why));
}

std::optional<Observation> unlike_reference(const Comparison& c, const Observation& so_far) {
  if (!is_held_against_one_rank(c.subject, c.first)) return std::nullopt;
  if (!c.reference) return decided(so_far, Verdict::unrun, "the single-rank reference is missing");
  if (c.reference->ending != Ending::completed)
    return decided(so_far, Verdict::unrun,
                   "the single-rank reference " + ending_in_words(*c.reference) +
                       (c.reference->ending == Ending::out_of_range ? kOutsideTheRange : ""));
  return differs_from(*c.reference, "the single-rank reference", c.first, so_far, Verdict::differs);
}

// The verdict `differs` for float32 arithmetic; nullopt if no value is far above its noise floor.
std::optional<Observation> far_away(const std::optional<Closeness>& measured, const Observation& so_far) {
  if (!measured || measured->beyond.empty()) return std::nullopt;
  const Closeness& closeness = *measured;
  const Held& worst = worst_of(closeness.beyond);
  std::set<std::string> gradients;
  for (const Held& held : closeness.beyond)
    if (held.away.kind == Measured::gradient) gradients.insert(held.away.name);
  Observation seen = so_far;
  seen.difference = difference_of(worst);
  return decided(std::move(seen), Verdict::differs,
                 fmt::format("{} ({} of {} gradients are more than {} times the noise floor away)", describe(worst),
                             gradients.size(), closeness.gradients, kFarBeyond));
}

// The message why the float32 run cannot be compared (no noise floor); nullopt if it can.
std::optional<std::string> why_no_floor(const std::optional<Closeness>& measured) {
  if (!measured) return "no single-rank run was made";
  return measured->no_floor.empty() ? std::nullopt : std::optional(measured->no_floor);
}

std::optional<Observation> far_from_reference(const Comparison& c, const Observation& so_far) {
  return is_held_against_noise_floor(c.subject) ? far_away(c.closeness, so_far) : std::nullopt;
}

std::optional<Observation> without_noise_floor(const Comparison& c, const Observation& so_far) {
  const auto why = is_held_against_noise_floor(c.subject) ? why_no_floor(c.closeness) : std::nullopt;
  if (!why) return std::nullopt;
  return decided(so_far, Verdict::unrun, "it equals its second run, but there is no noise floor to compare it with: " + *why);
}

std::optional<Observation> replicas_of_run_apart(const Record& record, const Observation& so_far) {
  for (const auto& p : record.parameters)
    if (!p.replicas_agree)
      return decided(so_far, Verdict::differs, "ranks that should hold the same bits of " + p.name + " do not");
  for (const auto& b : record.buffers)
    if (!b.local && !b.replicas_agree)
      return decided(so_far, Verdict::differs,
                     fmt::format("ranks that should hold the same bits of the buffer {} do not{}", b.name, kMeantToDiffer));
  return std::nullopt;
}

std::optional<Observation> replicas_apart(const Comparison& c, const Observation& so_far) {
  return replicas_of_run_apart(c.first, so_far);
}

// Names of parameters that the run did not change. Excludes those that the single-rank run does not change either: frozen
// ones, and those without a gradient.
std::vector<std::string> left_as_they_were(const Comparison& c) {
  const bool judged =
      c.reference && c.reference->ending == Ending::completed && c.reference->parameters.size() == c.first.parameters.size();
  std::vector<std::string> still;
  for (std::size_t i = 0; i < c.first.parameters.size(); ++i) {
    const ParameterRecord& p = c.first.parameters[i];
    const bool is_missed = updates_by_own_code(c.subject) && !p.frozen && p.has_gradient;
    if (!p.changed && (is_missed || (judged ? c.reference->parameters[i].changed : !p.frozen))) still.push_back(p.name);
  }
  return still;
}

// "2 of 21 parameters never changed: norm.weight, output.weight"; "" if all did.
std::string unchanged_in_words(const Comparison& c) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> still = left_as_they_were(c);
  const std::size_t count = still.size();
  if (count == 0) return "";
  still.resize(std::min(count, kNamed));
  return fmt::format("{} of {} parameters never changed: {}{}", count, c.first.parameters.size(), join(still, ", "),
                     count > kNamed ? fmt::format(" and {} more", count - kNamed) : "");
}

std::optional<Observation> untrained(const Comparison& c, const Observation& so_far) {
  if (c.first.steps.empty()) return decided(so_far, Verdict::unrun, "no step was run");
  const std::string unchanged = unchanged_in_words(c);
  return unchanged.empty() ? std::nullopt : std::optional(decided(so_far, Verdict::ignored, unchanged));
}

// A parameter that the optimizer lacks makes the gradient norm differ first. So add the names of unchanged parameters to the
// message.
Observation with_unchanged_parameters(const Comparison& c, Observation seen) {
  const std::string unchanged = seen.verdict == Verdict::differs ? unchanged_in_words(c) : "";
  if (!unchanged.empty()) seen.message += "; " + unchanged;
  return seen;
}

// Names of trainable parameters whose gradient is zero in the single-rank run. A wrong layout of them cannot be detected.
std::vector<std::string> without_gradient(const Record& record) {
  std::vector<std::string> names;
  for (const ParameterRecord& p : record.parameters)
    if (!p.frozen && !p.has_gradient) names.push_back(p.name);
  return names;
}

const Record& shows_what_flows(const Comparison& c) {
  return c.reference && c.reference->ending == Ending::completed ? *c.reference : c.first;
}

// The verdict `unrun` if no parameter has a nonzero gradient: equal numbers then prove nothing.
std::optional<Observation> nothing_flows(const Comparison& c, const Observation& so_far) {
  const Record& shows = shows_what_flows(c);
  const bool flows =
      std::ranges::any_of(shows.parameters, [](const ParameterRecord& p) { return !p.frozen && p.has_gradient; });
  if (flows || shows.parameters.empty()) return std::nullopt;
  return decided(so_far, Verdict::unrun,
                 "no parameter has a gradient other than zero in any step, so a wrong layout would show nothing");
}

std::string unknown_of(const Comparison& c) {
  const std::vector<std::string> names = without_gradient(shows_what_flows(c));
  if (names.empty()) return "";
  const std::string more = names.size() == 1 ? "" : fmt::format(" and {} more", names.size() - 1);
  return fmt::format("; in no step does a gradient other than zero reach {}{}, so nothing is known of {}", names.front(), more,
                     names.size() == 1 ? "it" : "them");
}

// Compares with the recommended order, if the single-rank run cannot decide. If it can, a difference here would be a fault of
// the recommended order, which its own case reports.
std::optional<Observation> unlike_recommended(const Comparison& c, const Observation& so_far) {
  if (!c.recommended || c.recommended->ending != Ending::completed) return std::nullopt;
  if (is_held_against_one_rank(c.subject, c.first)) return std::nullopt;
  return differs_from(*c.recommended, "the recommended order", c.first, so_far, Verdict::differs);
}

// Handles a case that is equal in exact arithmetic, but whose compiler-generated code does not complete in float32.
std::optional<Observation> compiler_code_ended(const Comparison& c, const Observation& so_far) {
  if (!c.compiler_code || c.compiler_code->with.ending == Ending::completed) return std::nullopt;
  const Record& own = c.compiler_code->with;
  Observation seen = begin(c.subject, own);
  seen.digest = so_far.digest;
  return decided(std::move(seen), verdict_of_ending(own.ending),
                 (own.failure && !own.failure->message.empty() ? own.failure->message : ending_in_words(own)) + kInFloat32);
}

// Handles a case that is equal in exact arithmetic, but whose compiler-generated code is far off in float32.
std::optional<Observation> compiler_code_differs(const Comparison& c, const Observation& so_far) {
  if (!c.compiler_code) return std::nullopt;
  auto seen = far_away(c.compiler_code->closeness, so_far);
  if (!seen) seen = replicas_of_run_apart(c.compiler_code->with, so_far);
  if (seen) seen->message += std::string(kInFloat32) + kNotWithOperators;
  return seen;
}

std::optional<Observation> compiler_code_without_floor(const Comparison& c, const Observation& so_far) {
  const auto why = c.compiler_code ? why_no_floor(c.compiler_code->closeness) : std::nullopt;
  if (!why) return std::nullopt;
  return decided(so_far, Verdict::unrun,
                 "with operators in exact arithmetic it does not differ, but there is no noise floor to compare the compiler's "
                 "own code with: " +
                     *why);
}

std::vector<Effect> effects_of(const Comparison& c) {
  const Record& with = c.compiler_code ? c.compiler_code->with : c.first;
  const auto& twins = c.compiler_code ? c.compiler_code->twins : c.twins;
  std::vector<Effect> effects;
  if (with.ending != Ending::completed) return effects;
  for (std::size_t i = 0; i < c.subject.stack.items.size(); ++i) {
    const bool twin = i < twins.size() && twins[i] && twins[i]->ending == Ending::completed;
    effects.push_back(effect_of(c.subject, i, with, twin ? twins[i] : std::nullopt, i < twins.size()));
  }
  return effects;
}

// Extends the sentence of an equal case: it was compared bitwise in exact arithmetic, and its compiler-generated code by
// distance in float32.
std::string also_of_compiler_code(const Comparison& c, const std::string& bitwise) {
  if (!c.compiler_code) return bitwise;
  return fmt::format("exact arithmetic with operators: {}; the compiler's own code in float32 arithmetic: close, {}", bitwise,
                     farthest_in_words(*c.compiler_code->closeness));
}

}  // namespace

bool is_held_against_one_rank(const Case& c, const Record& record) {
  switch (c.settings.arithmetic) {
    case Arithmetic::exact: return record.parity_owed;
    case Arithmetic::plain: return true;
    case Arithmetic::float32: return false;
  }
  assert(false && "every arithmetic is known");
  return true;
}

bool is_held_against_noise_floor(const Case& c) { return c.settings.arithmetic == Arithmetic::float32; }

Observation judge(const Comparison& c) {
  Observation seen = begin(c.subject, c.first);
  if (c.first.ending == Ending::out_of_range) return out_of_range(c, seen);
  if (c.first.ending != Ending::completed) {
    const Verdict verdict = verdict_of_ending(c.first.ending);
    const bool has_own_words = verdict != Verdict::unrun && c.first.failure && !c.first.failure->message.empty();
    return decided(seen, verdict, has_own_words ? c.first.failure->message : ending_in_words(c.first));
  }
  if (auto verdict = unlike_itself(c, seen)) return *verdict;
  seen.effects = effects_of(c);
  if (c.compiler_code && c.compiler_code->with.ending == Ending::completed) {
    seen.counters = c.compiler_code->with.counters;
    seen.collectives = c.compiler_code->with.collectives;
  }
  for (auto step :
       {not_finite, compared_with_nothing, unlike_reference, far_from_reference, replicas_apart, untrained, unlike_recommended,
        without_noise_floor, compiler_code_ended, compiler_code_differs, compiler_code_without_floor, nothing_flows})
    if (auto verdict = step(c, seen)) return with_unchanged_parameters(c, *std::move(verdict));
  const bool by_distance = is_held_against_noise_floor(c.subject);
  if (const std::vector<Effect> lost = lost_effects(seen.effects); !lost.empty())
    return decided(
        seen, Verdict::ignored,
        fmt::format("{}, but {}",
                    by_distance ? "close to the single-rank reference" : "bitwise equal to the single-rank reference",
                    loss_in_words(lost.front())));
  if (by_distance) return decided(seen, Verdict::close, describe_what_is_close() + unknown_of(c));
  const bool held = is_held_against_one_rank(c.subject, c.first);
  const bool recommended_ran = c.recommended && c.recommended->ending == Ending::completed;
  if (!held && !recommended_ran)
    return decided(seen, Verdict::unrun,
                   "no single-rank reference can judge it, and there is no recommended order to compare it with");
  // This case equals one rank, so a difference from the recommended order is a fault of that order, which its own case
  // reports.
  const bool broken = held && recommended_ran && differs_from(*c.recommended, "", c.first, seen, Verdict::differs);
  const std::string bitwise =
      broken
          ? "every loss, gradient and parameter is bitwise equal to the single-rank reference, but not to the recommended order"
      : held ? "every loss, gradient and parameter is bitwise equal to the single-rank reference"
             : "every loss, gradient and parameter is bitwise equal to the recommended order";
  return decided(seen, Verdict::equal, also_of_compiler_code(c, bitwise + unknown_of(c)));
}

bool differs_in_compiler_code(const Comparison& comparison) {
  if (!comparison.compiler_code || judge(comparison).verdict != Verdict::differs) return false;
  Comparison with_operators = comparison;
  with_operators.compiler_code.reset();
  return judge(with_operators).verdict != Verdict::differs;
}

}  // namespace ordercheck
