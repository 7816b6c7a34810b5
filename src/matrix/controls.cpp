#include "matrix/controls.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/wording.h"
#include "stack/mesh.h"

namespace ordercheck {
namespace {

std::vector<Case> plain_twins(const Plan& plan) {
  std::vector<Case> twins;
  for (const PlannedCase& planned : plan.cases) {
    const bool legal = std::ranges::any_of(planned.sources, [](const Source& s) { return s.kind == SourceKind::legal; });
    if (!legal || world_size(mesh_of(planned.subject.stack)) < 2 || planned.subject.settings != Settings{}) continue;
    twins.push_back(planned.subject);
    twins.back().settings.arithmetic = Arithmetic::plain;
  }
  return twins;
}

Control not_judged(const char* name, const char* why) {
  return {.name = name, .held = false, .evidence = why, .judged = false};
}

}  // namespace

void want_plain_twins(Batch& batch, const Plan& plan) {
  for (const Case& twin : plain_twins(plan)) {
    batch.want(twin);
    batch.want(reference_of(twin));
  }
}

Control plain_control(const Batch& batch, const Plan& plan) {
  constexpr const char* kName = "plain arithmetic";
  const std::vector<Case> twins = plain_twins(plan);
  if (twins.empty()) return not_judged(kName, "no legal layout among the cases");
  int differ = 0, completed = 0;
  for (const Case& twin : twins) {
    const Record &got = batch.record(twin), &expected = batch.record(reference_of(twin));
    if (got.ending != Ending::completed || expected.ending != Ending::completed) continue;
    ++completed;
    differ += first_difference(expected, got).has_value();
  }
  return {.name = kName,
          .held = completed > 0 && 2 * differ >= completed,
          .evidence = fmt::format("{} of {} {} from the single-rank reference without the grid", differ,
                                  counted(completed, "legal layout"), differ == 1 ? "differs" : "differ")};
}

Control repeat_control(const Batch& batch, const Plan& plan) {
  constexpr const char* kName = "repeated runs";
  if (std::ranges::none_of(plan.cases,
                           [&](const PlannedCase& c) { return batch.record(c.subject).ending == Ending::completed; }))
    return not_judged(kName, "none of the cases completed");
  int alike = 0, twice = 0;
  std::string unlike;
  for (const PlannedCase& planned : plan.cases) {
    const Record& first = batch.record(planned.subject);
    if (first.ending != Ending::completed) continue;
    const Record& again = batch.record(planned.subject, 1);
    if (again.ending != Ending::completed) continue;
    ++twice;
    const bool same = digest(first) == digest(again);
    alike += same;
    if (!same && unlike.empty()) unlike = "; the first that has not is " + print(planned.subject);
  }
  return {.name = kName,
          .held = twice > 0 && alike == twice,
          .evidence = fmt::format("{} of {} {} the digest of {} second run{}", alike, counted(twice, "record"),
                                  alike == 1 ? "has" : "have", alike == 1 ? "its" : "their", unlike)};
}

Control shuffled_control(const std::vector<Outcome>& outcomes) {
  Control control{.name = "shuffled gradient", .held = false, .evidence = "no record has two different gradients"};
  if (std::ranges::none_of(outcomes, [](const Outcome& one) { return one.record.ending == Ending::completed; }))
    return not_judged("shuffled gradient", "none of the cases completed");
  for (const Outcome& outcome : outcomes) {
    const Record& record = outcome.record;
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
