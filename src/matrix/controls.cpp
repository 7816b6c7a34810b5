#include "matrix/controls.h"

#include <algorithm>

#include <fmt/format.h>

#include "record/difference.h"
#include "record/evidence_table.h"
#include "stack/mesh.h"
#include "stack/trainer.h"

namespace ordercheck {
namespace {

Control not_judged(const char* name, const char* why) {
  return {.name = name, .held = false, .evidence = why, .judged = false};
}

bool is_legal_as_it_stands(const PlannedCase& planned) {
  const bool legal = std::ranges::any_of(planned.sources, [](const Source& s) { return s.kind == SourceKind::legal; });
  return legal && planned.subject.settings == Settings{};
}

}  // namespace

std::vector<PlainTwin> ask_plain_twins(const Plan& plan, Runs& runs) {
  std::vector<PlainTwin> twins;
  for (const PlannedCase& planned : plan.cases) {
    if (!is_legal_as_it_stands(planned) || world_size(mesh_of(planned.subject.stack)) < 2) continue;
    Case twin = planned.subject;
    twin.settings.arithmetic = Arithmetic::plain;
    twins.push_back({.twin = runs.ask(twin), .reference = runs.ask(reference_of(twin))});
  }
  return twins;
}

std::optional<ClippingTwin> ask_clipping_twin(const Plan& plan, Runs& runs) {
  const auto trained_by_default = [](const PlannedCase& planned) {
    return is_legal_as_it_stands(planned) && !names_trainer(planned.subject.stack);
  };
  const auto first = std::ranges::find_if(plan.cases, trained_by_default);
  if (first == plan.cases.end()) return std::nullopt;
  const Case unclipped = reference_of(first->subject);
  Case clipped = unclipped;
  clipped.stack = with_clipping(clipped.stack, kReachedThreshold);
  return ClippingTwin{.clipped = runs.ask(clipped), .unclipped = runs.ask(unclipped)};
}

Control clipping_control(const std::optional<ClippingTwin>& twin) {
  constexpr const char* kName = "clipping";
  if (!twin) return not_judged(kName, "no legal layout with the default trainer among the cases");
  if (!twin->clipped.completed() || !twin->unclipped.completed())
    return not_judged(kName, "one rank did not complete without it");
  const auto &with = twin->clipped.record().parameters, &without = twin->unclipped.record().parameters;
  const auto [one, other] = std::ranges::mismatch(with, without, {}, &ParameterRecord::value, &ParameterRecord::value);
  if (one == with.end() || other == without.end())
    return {.name = kName, .held = false, .evidence = "no gradient reaches the threshold: parameters are the same without it"};
  return {.name = kName, .held = true, .evidence = fmt::format("without it, one rank ends with another {}", one->name)};
}

Control plain_control(const std::vector<PlainTwin>& twins) {
  if (twins.empty()) return not_judged(kPlainArithmetic, "no legal layout among the cases");
  int differ = 0, completed = 0;
  for (const auto& [twin, reference] : twins) {
    if (!twin.completed() || !reference.completed()) continue;
    ++completed;
    differ += first_difference(reference.record(), twin.record()).has_value();
  }
  if (completed == 0) return not_judged(kPlainArithmetic, "no legal layout among the cases completed without the grid");
  return {.name = kPlainArithmetic, .held = 2 * differ >= completed, .evidence = plain_arithmetic_in_words(differ, completed)};
}

Control repeat_control(const std::vector<Trial>& trials) {
  RepeatedRuns runs;
  bool any_completed = false;
  for (const Trial& trial : trials) {
    any_completed |= trial.again.has_value();
    if (!trial.again || !trial.again->completed()) continue;
    ++runs.twice;
    const bool same = digest(trial.layouts.subject.record()) == digest(trial.again->record());
    runs.alike += same;
    if (!same && runs.first_unlike.empty()) runs.first_unlike = print(trial.planned.subject);
  }
  if (!any_completed) return not_judged(kRepeatedRuns, "none of the cases completed");
  return {.name = kRepeatedRuns, .held = runs.twice > 0 && runs.alike == runs.twice, .evidence = repeated_runs_in_words(runs)};
}

Control shuffled_control(const std::vector<Trial>& trials) {
  Control control{.name = "shuffled gradient", .held = false, .evidence = "no record has two different gradients"};
  if (std::ranges::none_of(trials, [](const Trial& one) { return one.layouts.subject.completed(); }))
    return not_judged("shuffled gradient", "none of the cases completed");
  for (const Trial& trial : trials) {
    const Record& record = trial.layouts.subject.record();
    if (record.ending != Ending::completed || record.parameters.size() < 2) continue;
    const auto &first = record.parameters[0], &second = record.parameters[1];
    if (first.gradient.empty() || second.gradient.empty() || first.gradient[0] == second.gradient[0]) continue;
    Record shuffled = record;
    std::swap(shuffled.parameters[0].gradient[0], shuffled.parameters[1].gradient[0]);
    const auto difference = first_difference(record, shuffled);
    control.held = difference && difference->what == "gradient of " + first.name;
    control.evidence = fmt::format("gradients of {} and {} exchanged: {}", first.name, second.name,
                                   difference ? "found at the " + difference->what : "not found");
    return control;
  }
  return control;
}

}  // namespace ordercheck
