#include "trial/trial.h"

#include "check/inductor.h"

namespace ordercheck {
namespace {

// Nothing here can write the order of a user's function otherwise: it is in the function.
std::optional<Case> in_recommended_order(const Case& c, const Recommend& recommend) {
  if (!c.apply.empty() || !recommend) return std::nullopt;
  auto order = recommend(c.stack);
  if (!order || *order == c.stack) return std::nullopt;
  Case recommended = c;
  recommended.stack = std::move(*order);
  return recommended;
}

// A function of the user's leaves nothing out.
std::vector<Asked> ask_twins(const Case& c, Runs& runs) {
  std::vector<Asked> twins;
  for (std::size_t i = 0; c.apply.empty() && i < c.stack.items.size(); ++i) twins.push_back(runs.ask(without_item(c, i)));
  return twins;
}

std::optional<ShownRuns> ask_shown(const Case& c, Runs& runs) {
  if (c.settings.arithmetic != Arithmetic::exact || !runs_inductor(c)) return std::nullopt;
  Case as_in_a_job = c;
  as_in_a_job.settings.arithmetic = Arithmetic::float32;
  return ShownRuns{.with = runs.ask(as_in_a_job), .twins = ask_twins(as_in_a_job, runs)};
}

std::optional<Record> if_completed(const Asked& run) { return run.completed() ? std::optional(run.record()) : std::nullopt; }

}  // namespace

Layouts ask_layouts(const Case& c, const Recommend& recommend, Runs& runs) {
  Layouts layouts{.subject = runs.ask(c), .reference = runs.ask(reference_of(c)), .recommended = {}, .near = {}};
  if (const auto recommended = in_recommended_order(c, recommend)) layouts.recommended = runs.ask(*recommended);
  return layouts;
}

Trial begin_trial(const PlannedCase& planned, const Recommend& recommend, Runs& runs) {
  const Case& c = planned.subject;
  return {.planned = planned,
          .layouts = ask_layouts(c, recommend, runs),
          .twins = ask_twins(c, runs),
          .shown = ask_shown(c, runs),
          .again = {},
          .variants = {},
          .tensors = {},
          .coarser = {}};
}

void ask_again(Trial& trial, Runs& runs) {
  const Case& c = trial.planned.subject;
  trial.again = runs.ask(c, Turn::second);
  if (is_held_against_noise_floor(c)) trial.layouts.near = ask_closeness(c, runs);
}

Result<Comparison> comparison_of(const Trial& trial) {
  const Layouts& layouts = trial.layouts;
  Comparison comparison{.subject = trial.planned.subject,
                        .first = layouts.subject.record(),
                        .again = {},
                        .reference = layouts.reference.record(),
                        .recommended = {},
                        .twins = {}};
  if (trial.again) comparison.again = trial.again->record();
  if (layouts.near) {
    auto closeness = closeness_of(*layouts.near, comparison.first);
    if (!closeness) return closeness.error();
    comparison.closeness = *std::move(closeness);
  }
  if (layouts.recommended) comparison.recommended = layouts.recommended->record();
  for (const Asked& twin : trial.twins) comparison.twins.push_back(if_completed(twin));
  if (trial.shown) {
    comparison.shown = Shown{.with = trial.shown->with.record(), .twins = {}};
    for (const Asked& twin : trial.shown->twins) comparison.shown->twins.push_back(if_completed(twin));
  }
  return comparison;
}

}  // namespace ordercheck
