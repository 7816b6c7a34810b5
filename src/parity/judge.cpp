#include "parity/judge.h"

#include <algorithm>
#include <cassert>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "parity/finite.h"
#include "parity/verdict.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

constexpr const char* kMeantToDiffer = "; where that is meant, local_buffers of the function or the factory says so";
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

// What the run shows by itself, before it is held against anything.
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

// Held against another run; nothing when it agrees.
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

// Exact arithmetic left its range. Where one rank tells that a right layout could not have, that is a difference.
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
  // Two NaNs that came of memory nobody wrote need not have the same bits: that is no reason to judge no further.
  if (first_not_finite(c.first) && first_not_finite(*c.again)) return std::nullopt;
  return differs_from(*c.again, "the second run", c.first, so_far, Verdict::unstable);
}

// A NaN has the bits of another NaN, and an infinity those of another: of numbers that are not finite on one rank too,
// nothing may be concluded.
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
  if (is_held_against_one_rank(c.subject, c.first)) return std::nullopt;  // its first difference is no later than this
  const StepRecord& owed = c.reference->steps.at(static_cast<std::size_t>(here->step));
  here->expected = hex((here->what == "loss" ? owed.loss : owed.gradient_norm).at(0));
  Observation seen = so_far;
  seen.difference = *here;
  return decided(std::move(seen), Verdict::differs, in_words(*here, "the single-rank reference"));
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

// Nothing where no number is far beyond its floor.
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

// Why there is no noise floor; nothing where there is one.
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

// What one rank leaves as it was too is no loss: frozen parameters, and those that nothing reaches.
std::vector<std::string> left_as_they_were(const Comparison& c) {
  const bool judged =
      c.reference && c.reference->ending == Ending::completed && c.reference->parameters.size() == c.first.parameters.size();
  std::vector<std::string> still;
  for (std::size_t i = 0; i < c.first.parameters.size(); ++i) {
    const ParameterRecord& p = c.first.parameters[i];
    if (!p.changed && (judged ? c.reference->parameters[i].changed : !p.frozen)) still.push_back(p.name);
  }
  return still;
}

// "2 of 21 parameters never changed: norm.weight, output.weight"; "" where all did.
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

// A parameter that the optimizer does not have shows first in the total norm, which leaves it out.
Observation with_unchanged_parameters(const Comparison& c, Observation seen) {
  const std::string unchanged = seen.verdict == Verdict::differs ? unchanged_in_words(c) : "";
  if (!unchanged.empty()) seen.message += "; " + unchanged;
  return seen;
}

// Parameters that are trained, but that no gradient other than zero reaches on one rank: a layout that gets them wrong shows
// nothing.
std::vector<std::string> without_gradient(const Record& record) {
  std::vector<std::string> names;
  for (const ParameterRecord& p : record.parameters)
    if (!p.frozen && !p.has_gradient) names.push_back(p.name);
  return names;
}

const Record& shows_what_flows(const Comparison& c) {
  return c.reference && c.reference->ending == Ending::completed ? *c.reference : c.first;
}

// No evidence where nothing flows.
std::optional<Observation> nothing_flows(const Comparison& c, const Observation& so_far) {
  const Record& shows = shows_what_flows(c);
  const bool flows =
      std::ranges::any_of(shows.parameters, [](const ParameterRecord& p) { return !p.frozen && p.has_gradient; });
  if (flows || shows.parameters.empty()) return std::nullopt;
  return decided(so_far, Verdict::unrun,
                 "no parameter has a gradient other than zero in any step, so a wrong layout would show nothing");
}

// "; in no step does a gradient other than zero reach a.weight and 2 more, so that nothing is known of them"
std::string unknown_of(const Comparison& c) {
  const std::vector<std::string> names = without_gradient(shows_what_flows(c));
  if (names.empty()) return "";
  const std::string more = names.size() == 1 ? "" : fmt::format(" and {} more", names.size() - 1);
  return fmt::format("; in no step does a gradient other than zero reach {}{}, so nothing is known of {}", names.front(), more,
                     names.size() == 1 ? "it" : "them");
}

// Where one rank has judged already, an unlike recommended order is one that is broken itself: its own case says so.
std::optional<Observation> unlike_recommended(const Comparison& c, const Observation& so_far) {
  if (!c.recommended || c.recommended->ending != Ending::completed) return std::nullopt;
  if (is_held_against_one_rank(c.subject, c.first)) return std::nullopt;
  return differs_from(*c.recommended, "the recommended order", c.first, so_far, Verdict::differs);
}

// Numbers agree, but the compiler's own code does not run to its end.
std::optional<Observation> compiler_code_ended(const Comparison& c, const Observation& so_far) {
  if (!c.compiler_code || c.compiler_code->with.ending == Ending::completed) return std::nullopt;
  const Record& own = c.compiler_code->with;
  Observation seen = begin(c.subject, own);
  seen.digest = so_far.digest;
  return decided(std::move(seen), verdict_of_ending(own.ending),
                 (own.failure && !own.failure->message.empty() ? own.failure->message : ending_in_words(own)) + kInFloat32);
}

// Numbers agree with operators; those of the code that the compiler writes do not.
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

// Of a case whose compiler called operators where bits were compared: which of the two was bitwise, and which by distance.
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
       {not_finite, unlike_reference, far_from_reference, replicas_apart, untrained, unlike_recommended, without_noise_floor,
        compiler_code_ended, compiler_code_differs, compiler_code_without_floor, nothing_flows})
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
