#include "matrix/case_trial.h"

#include <algorithm>

#include "stack/trainer.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

// The case in the recommended order; nullopt if it has that order. Also nullopt with a user's `apply`, whose order is in its
// code.
std::optional<Case> in_recommended_order(const Case& c, const Recommend& recommend) {
  if (!c.apply.empty() || !recommend) return std::nullopt;
  auto order = recommend(c.stack);
  if (!order || *order == c.stack) return std::nullopt;
  Case recommended = c;
  recommended.stack = std::move(*order);
  return recommended;
}

// The cases without one item each. Empty with a user's `apply`, which cannot leave out one item.
std::vector<Case> twins_of(const Case& c) {
  std::vector<Case> twins;
  for (std::size_t i = 0; c.apply.empty() && i < c.stack.items.size(); ++i) twins.push_back(without_item(c, i));
  return twins;
}

// A twin may also be a case of the plan. It then keeps its tensors, so that both share one compilation.
CompilerCodeRuns ask_compiler_code(const Case& c, Runs& runs, bool quick) {
  const Case own = compiler_code_of(c);
  CompilerCodeRuns asked{.with = runs.ask(own, Turn::first, Keep::values), .twins = {}, .near = {}};
  if (quick) return asked;
  for (const Case& twin : twins_of(own))
    asked.twins.push_back(runs.ask(twin, Turn::first, names_usual_backend(twin.stack) ? Keep::values : Keep::hashes));
  return asked;
}

bool is_exact(const Case& c) { return c.settings.arithmetic == Arithmetic::exact; }

// Whether the run captured graphs that the stack's own `compile` does not explain, because a user's model or function calls
// torch.compile itself. False if the stack names a backend, or if a transform of the stack captures graphs and there is no
// `apply`.
bool compiles_by_itself(const Case& c, const Record& record) {
  const auto compiles = [](const Item& item) { return item.name == "compile"; };
  const auto names_backend = [&](const Item& item) { return compiles(item) && !item.mode.empty(); };
  if (!is_exact(c) || record.counters.graph_captures <= 0) return false;
  if (std::ranges::any_of(c.stack.items, names_backend)) return false;
  const auto captures = [&](const Item& item) { return compiles(item) || info_of(item).captures; };
  return !c.apply.empty() || std::ranges::none_of(c.stack.items, captures);
}

std::optional<Record> if_completed(const PendingRun& run) {
  return run.completed() ? std::optional(run.record()) : std::nullopt;
}

}  // namespace

Layouts ask_layouts(const Case& c, const Recommend& recommend, Runs& runs) {
  Layouts layouts{.subject = runs.ask(c), .reference = runs.ask(reference_of(c)), .recommended = {}, .near = {}};
  if (const auto recommended = in_recommended_order(c, recommend)) layouts.recommended = runs.ask(*recommended);
  return layouts;
}

Trial begin_trial(const PlannedCase& planned, const Recommend& recommend, Runs& runs, bool quick) {
  const Case& c = planned.subject;
  Trial trial{.planned = planned,
              .layouts = ask_layouts(c, recommend, runs),
              .twins = {},
              .compiler_code = {},
              .again = {},
              .variants = {},
              .tensors = {},
              .coarser = {},
              .coarse_factors = {}};
  if (!quick)
    for (const Case& twin : twins_of(c)) trial.twins.push_back(runs.ask(twin));
  if (is_exact(c) && names_usual_backend(c.stack)) trial.compiler_code = ask_compiler_code(c, runs, quick);
  return trial;
}

Case compiler_code_of(const Case& c) {
  Case own = c;
  own.settings.arithmetic = Arithmetic::float32;
  return own;
}

void ask_again(Trial& trial, Runs& runs, bool quick) {
  const Case& c = trial.planned.subject;
  if (!trial.again) trial.again = runs.ask(c, Turn::second);
  if (is_held_against_noise_floor(c)) trial.layouts.near = ask_closeness(c, runs);
  if (!trial.compiler_code && compiles_by_itself(c, trial.layouts.subject.record()))
    trial.compiler_code = ask_compiler_code(c, runs, quick);
  if (trial.compiler_code) trial.compiler_code->near = ask_closeness(compiler_code_of(c), runs);
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
  for (const PendingRun& twin : trial.twins) comparison.twins.push_back(if_completed(twin));
  if (trial.compiler_code) {
    CompilerCode own{.with = trial.compiler_code->with.record(), .twins = {}};
    for (const PendingRun& twin : trial.compiler_code->twins) own.twins.push_back(if_completed(twin));
    if (trial.compiler_code->near && trial.compiler_code->with.completed()) {
      auto closeness = closeness_of(*trial.compiler_code->near, own.with);
      if (!closeness) return closeness.error();
      own.closeness = *std::move(closeness);
    }
    comparison.compiler_code = std::move(own);
  }
  return comparison;
}

}  // namespace ordercheck
