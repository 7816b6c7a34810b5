#include "parity/verdict.h"

#include <array>
#include <set>

#include <fmt/format.h>

#include "parity/finite.h"
#include "parity/wording.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

constexpr std::array kVerdicts{Verdict::equal, Verdict::close,   Verdict::differs,  Verdict::fails,
                               Verdict::hangs, Verdict::ignored, Verdict::unstable, Verdict::unrun};

Verdict verdict_of_ending(Ending ending) {
  switch (ending) {
    case Ending::failed:
    case Ending::died:
    case Ending::garbled: return Verdict::fails;
    case Ending::deadlocked:
    case Ending::timed_out: return Verdict::hangs;
    case Ending::out_of_range:
    case Ending::unsupported:
    case Ending::completed: return Verdict::unrun;
  }
  assert(false && "every ending has a verdict");
  return Verdict::unrun;
}

// "failed (apply, layers.0.attention, rank 1): the message"
std::string sentence(const Record& record) {
  const char* word = record.ending == Ending::out_of_range ? "(range)" : name_of(record.ending);
  if (!record.failure) return word;
  const Failure& f = *record.failure;
  std::string place = name_of(f.phase);
  if (!f.module.empty()) place += ", " + f.module;
  if (!f.operation.empty()) place += ", in " + f.operation;
  if (!f.group.empty()) place += " on " + f.group;
  if (f.sequence >= 0) place += fmt::format(" #{}", f.sequence);
  if (f.rank >= 0) place += fmt::format(", rank {}", f.rank);
  return fmt::format("{} ({}){}{}", word, place, f.message.empty() ? "" : ": ", f.message);
}

Judgement decided(Judgement so_far, Verdict verdict, std::string reason) {
  so_far.verdict = verdict;
  so_far.reason = std::move(reason);
  return so_far;
}

// Held against another run; nothing when it agrees.
std::optional<Judgement> differs_from(const Record& expected, const char* against, const Record& got, const Judgement& so_far,
                                      Verdict verdict) {
  auto difference = first_difference(expected, got);
  if (!difference) return std::nullopt;
  Judgement judgement = so_far;
  judgement.difference = *difference;
  return decided(std::move(judgement), verdict,
                 fmt::format("{} ({} differ)", in_words(*difference, against), extent_of_difference(expected, got)));
}

// Exact arithmetic left its range. Where one rank tells that a right layout could not have, that is a difference.
Judgement out_of_range(const Comparison& c) {
  const bool owed = is_held_against_one_rank(c.subject, c.first);
  if (!owed || !c.reference || !left_range_alone(*c.reference, c.first)) return decided({}, Verdict::unrun, sentence(c.first));
  return decided(
      {}, Verdict::differs,
      fmt::format("{}; the single-rank reference uses {:.1f}% of the range", sentence(c.first), 100 * c.reference->range_used));
}

std::optional<Judgement> unlike_itself(const Comparison& c, const Judgement& so_far) {
  if (!c.again) return decided(so_far, Verdict::unrun, "the second run of the same case is missing");
  if (c.again->ending != Ending::completed)
    return decided(so_far, Verdict::unstable, "completed once; then " + sentence(*c.again));
  // Two NaNs that came of memory nobody wrote need not have the same bits: that is no reason to judge no further.
  if (first_not_finite(c.first) && first_not_finite(*c.again)) return std::nullopt;
  return differs_from(*c.again, "the second run", c.first, so_far, Verdict::unstable);
}

// A NaN has the bits of another NaN, and an infinity those of another: of numbers that are not finite on one rank too,
// nothing may be concluded.
std::optional<Judgement> not_finite(const Comparison& c, const Judgement& so_far) {
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
  Judgement judgement = so_far;
  judgement.difference = *here;
  return decided(std::move(judgement), Verdict::differs, in_words(*here, "the single-rank reference"));
}

std::optional<Judgement> unlike_reference(const Comparison& c, const Judgement& so_far) {
  if (!is_held_against_one_rank(c.subject, c.first)) return std::nullopt;
  if (!c.reference) return decided(so_far, Verdict::unrun, "the single-rank reference is missing");
  if (c.reference->ending != Ending::completed)
    return decided(so_far, Verdict::unrun, "the single-rank reference " + sentence(*c.reference));
  return differs_from(*c.reference, "the single-rank reference", c.first, so_far, Verdict::differs);
}

std::optional<Judgement> far_from_reference(const Comparison& c, const Judgement& so_far) {
  if (!is_held_against_noise_floor(c.subject) || !c.closeness || c.closeness->beyond.empty()) return std::nullopt;
  const Closeness& closeness = *c.closeness;
  const Held& worst = worst_of(closeness.beyond);
  std::set<std::string> gradients;
  for (const Held& held : closeness.beyond)
    if (held.away.kind == Measured::gradient) gradients.insert(held.away.name);
  Judgement judgement = so_far;
  judgement.difference = difference_of(worst);
  return decided(std::move(judgement), Verdict::differs,
                 fmt::format("{} ({} of {} gradients are more than {} times the noise floor away)", told(worst),
                             gradients.size(), closeness.gradients, kFarBeyond));
}

std::optional<Judgement> without_noise_floor(const Comparison& c, const Judgement& so_far) {
  if (!is_held_against_noise_floor(c.subject)) return std::nullopt;
  if (c.closeness && c.closeness->no_floor.empty()) return std::nullopt;
  return decided(so_far, Verdict::unrun,
                 "it equals its second run, but there is no noise floor to compare it with: " +
                     (c.closeness ? c.closeness->no_floor : std::string("no single-rank run was made")));
}

std::optional<Judgement> replicas_apart(const Comparison& c, const Judgement& so_far) {
  for (const auto& p : c.first.parameters)
    if (!p.replicas_agree)
      return decided(so_far, Verdict::differs, "ranks that should hold the same bits of " + p.name + " do not");
  return std::nullopt;
}

std::optional<Judgement> untrained(const Comparison& c, const Judgement& so_far) {
  if (c.first.steps.empty()) return decided(so_far, Verdict::unrun, "no step was run");
  std::vector<std::string> still;
  for (const auto& p : c.first.parameters)
    if (!p.changed) still.push_back(p.name);
  if (still.empty()) return std::nullopt;
  return decided(so_far, Verdict::ignored,
                 fmt::format("{} of {} parameters never changed, the first is {}", still.size(), c.first.parameters.size(),
                             still.front()));
}

// Where one rank has judged already, an unlike recommended order is one that is broken itself: its own case says so.
std::optional<Judgement> unlike_recommended(const Comparison& c, const Judgement& so_far) {
  if (!c.recommended || c.recommended->ending != Ending::completed) return std::nullopt;
  if (is_held_against_one_rank(c.subject, c.first)) return std::nullopt;
  return differs_from(*c.recommended, "the recommended order", c.first, so_far, Verdict::differs);
}

}  // namespace

std::vector<Effect> lost_effects(const std::vector<Effect>& effects) {
  std::vector<Effect> nothing, part;
  for (const Effect& effect : effects)
    if (effect.defined && !effect.present) (effect.partly ? part : nothing).push_back(effect);
  return nothing.empty() ? part : nothing;
}

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::equal: return "equal";
    case Verdict::close: return "close";
    case Verdict::differs: return "differs";
    case Verdict::fails: return "fails";
    case Verdict::hangs: return "hangs";
    case Verdict::ignored: return "ignored";
    case Verdict::unstable: return "unstable";
    case Verdict::unrun: return "unrun";
  }
  assert(false && "every verdict has a name");
  return "";
}

std::optional<Verdict> find_verdict(const std::string& name) {
  for (Verdict verdict : kVerdicts)
    if (name == name_of(verdict)) return verdict;
  return std::nullopt;
}

bool shows_parity(Verdict verdict) { return verdict == Verdict::equal || verdict == Verdict::close; }

bool is_held_against_one_rank(const Case& c, const Record& record) {
  switch (c.settings.arithmetic) {
    case Arithmetic::exact: return record.parity_owed;
    case Arithmetic::plain: return true;
    case Arithmetic::native: return false;
  }
  assert(false && "every arithmetic is known");
  return true;
}

bool is_held_against_noise_floor(const Case& c) { return c.settings.arithmetic == Arithmetic::native; }

Judgement judge(const Comparison& c) {
  Judgement judgement;
  if (c.first.ending == Ending::out_of_range) return out_of_range(c);
  if (c.first.ending != Ending::completed) return decided(judgement, verdict_of_ending(c.first.ending), sentence(c.first));
  if (auto verdict = unlike_itself(c, judgement)) return *verdict;
  for (std::size_t i = 0; i < c.subject.stack.items.size(); ++i) {
    const bool twin = i < c.twins.size() && c.twins[i] && c.twins[i]->ending == Ending::completed;
    judgement.effects.push_back(effect_of(c.subject, i, c.first, twin ? c.twins[i] : std::nullopt));
  }
  if (is_held_against_noise_floor(c.subject)) judgement.closeness = c.closeness;
  for (auto step :
       {not_finite, unlike_reference, far_from_reference, replicas_apart, untrained, unlike_recommended, without_noise_floor})
    if (auto verdict = step(c, judgement)) return *verdict;
  const bool by_distance = is_held_against_noise_floor(c.subject);
  if (const std::vector<Effect> lost = lost_effects(judgement.effects); !lost.empty())
    return decided(
        judgement, Verdict::ignored,
        fmt::format("{}, but {} has no effect: {}",
                    by_distance ? "close to the single-rank reference" : "bitwise equal to the single-rank reference",
                    lost.front().transform, lost.front().evidence));
  if (by_distance) return decided(judgement, Verdict::close, told(*judgement.closeness));
  const bool held = is_held_against_one_rank(c.subject, c.first);
  const bool recommended_ran = c.recommended && c.recommended->ending == Ending::completed;
  if (!held && !recommended_ran)
    return decided(judgement, Verdict::unrun,
                   "no single-rank reference can judge it, and there is no recommended order to compare it with");
  const bool broken = held && recommended_ran && differs_from(*c.recommended, "", c.first, judgement, Verdict::differs);
  return decided(
      judgement, Verdict::equal,
      broken
          ? "every loss, gradient and parameter is bitwise equal to the single-rank reference, but not to the recommended order"
      : held ? "every loss, gradient and parameter is bitwise equal to the single-rank reference"
             : "every loss, gradient and parameter is bitwise equal to the recommended order");
}

}  // namespace ordercheck
