#include "matrix/run_plan.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "matrix/controls.h"
#include "matrix/last_bits.h"
#include "matrix/tensors.h"
#include "record/difference.h"
#include "record/finite.h"
#include "record/persistence.h"
#include "record/verdict_of_runs.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

constexpr const char* kOfCompilerCode =
    "effects, counters: of a run in float32 arithmetic, in which the compiler runs the code that it writes";

constexpr const char* kLeftOut =
    "--quick: other seeds and grids, where a difference begins, and the stack without each transform (so an effect that only "
    "a comparison shows is not checked), clipping";

// Whether the engine reported while building that it does not support the case's options, scopes or sizes; the case then
// counts as not planned. False if a case was built and could not be decided at run time.
bool is_declined(const Record& record) {
  return record.ending == Ending::unsupported && (!record.failure || record.failure->phase == Phase::build);
}

void move_declined(std::vector<Trial>& trials, Plan& plan) {
  plan.cases.clear();
  std::vector<Trial> kept;
  for (Trial& trial : trials) {
    const Record& record = trial.layouts.subject.record();
    if (!is_declined(record)) {
      plan.cases.push_back(trial.planned);
      kept.push_back(std::move(trial));
      continue;
    }
    const std::string why = record.failure ? record.failure->message : "no reason given";
    plan.not_planned.push_back(
        {trial.planned.subject, trial.planned.sources, fmt::format("the {} engine declines it: {}", plan.engine, why)});
  }
  trials = std::move(kept);
  std::ranges::sort(plan.not_planned, {}, [](const NotPlanned& one) { return print(one.subject); });
}

constexpr int kWideGrid = 16;

// Restarts trials whose user's model exceeded the range of the default grid, on a coarser grid, which allows sums up to 2^21
// instead of 2^13. Returns whether any trial was restarted.
bool widen_ranges(std::vector<Trial>& trials, const Recommend& recommend, Runs& runs, bool quick) {
  bool any = false;
  for (Trial& trial : trials) {
    const Record& reference = trial.layouts.reference.record();
    PlannedCase planned = trial.planned;
    Settings& settings = planned.subject.settings;
    const bool is_own = planned.subject.model.find(':') != std::string::npos;
    if (reference.ending != Ending::out_of_range || !is_own || settings.grid != Settings{}.grid) continue;
    std::string note = fmt::format("on the grid 2^-{}: on 2^-{} the single-rank reference leaves the range ({})", kWideGrid,
                                   settings.grid, reference.failure ? reference.failure->message : "no reason given");
    settings.grid = kWideGrid;
    trial = begin_trial(planned, recommend, runs, quick);
    trial.note = std::move(note);
    any = true;
  }
  return any;
}

Result<std::vector<CaseResult>> judge_all(const std::vector<Trial>& trials) {
  std::vector<CaseResult> results;
  for (const Trial& trial : trials) {
    const auto comparison = comparison_of(trial);
    if (!comparison) return comparison.error();
    Record record = comparison->first;
    if (comparison->compiler_code) record.notes.push_back(kOfCompilerCode);
    if (!trial.note.empty()) record.notes.push_back(trial.note);
    results.push_back({.planned = trial.planned,
                       .outcome = {.subject = trial.planned.subject, .seen = judge(*comparison), .prediction = {}},
                       .record = std::move(record),
                       .closeness = comparison->compiler_code ? comparison->compiler_code->closeness : comparison->closeness,
                       .in_compiler_code = differs_in_compiler_code(*comparison),
                       .persistence = "",
                       .divergence = {}});
  }
  return results;
}

using Differing = std::vector<std::pair<Trial*, CaseResult*>>;

// For differing cases, reruns differences of the size of the grid's last bits on coarser grids, because they may be rounding
// (last_bits.h).
Status look_at_last_bits(const Differing& differing, Runs& runs) {
  Differing looked_at;
  for (const auto& one : differing) {
    const auto asked = ask_coarser(*one.first, *one.second, runs);
    if (!asked) return asked.error();
    if (*asked) looked_at.push_back(one);
  }
  if (auto status = runs.run(); !status) return status;
  for (const auto& [trial, result] : looked_at) {
    if (auto judged = judge_last_bits(*trial, result->outcome.seen); !judged) return judged;
    if (result->outcome.seen.verdict == Verdict::differs || result->outcome.seen.verdict == Verdict::unstable) continue;
    result->persistence.clear();
    result->divergence.reset();
    result->factor.clear();
  }
  return Done{};
}

// Reruns differing cases with another seed and grid. If the difference occurs there too, finds the first differing tensor.
Status look_again(std::vector<Trial>& trials, std::vector<CaseResult>& results, const Recommend& recommend, Runs& runs) {
  Differing differing;
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].outcome.seen.verdict == Verdict::differs) differing.emplace_back(&trials[i], &results[i]);
  for (const auto& [trial, result] : differing) {
    if (result->in_compiler_code)
      ask_variants_of_compiler_code(*trial, runs);
    else
      ask_variants(*trial, recommend, runs);
  }
  if (auto status = runs.run(); !status) return status;
  for (const auto& [trial, result] : differing) {
    const auto verdict = persists(*trial, result->persistence);
    if (!verdict) return verdict.error();
    if (*verdict == Verdict::differs) continue;
    result->outcome.seen.verdict = *verdict;
    result->outcome.seen.message += "; " + result->persistence;
  }
  std::erase_if(differing, [](const auto& one) {
    return one.second->outcome.seen.verdict != Verdict::differs || !is_bitwise(*one.second);
  });
  for (const auto& [trial, result] : differing) ask_tensors(*trial, result->outcome.seen, runs);
  if (auto status = runs.run(); !status) return status;
  for (const auto& [trial, result] : differing)
    if (auto told = tell_tensors(*trial, *result); !told) return told;
  return look_at_last_bits(differing, runs);
}

// Sets CaseResult::right_without for wrong cases, for verdicts that a transform can cause.
void ablate(const std::vector<Trial>& trials, std::vector<CaseResult>& results) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Verdict verdict = results[i].outcome.seen.verdict;
    if (verdict == Verdict::differs || verdict == Verdict::fails || verdict == Verdict::hangs)
      results[i].right_without = right_without(trials[i]);
  }
}

bool has_recorded_digest(const Trial& trial, const RunOptions& options) {
  const auto recorded = options.recorded_digests.find(print(trial.planned.subject));
  return recorded != options.recorded_digests.end() && recorded->second == digest(trial.layouts.subject.record());
}

void compare_with_rules(std::vector<CaseResult>& results, const std::vector<Rule>& rules, const Target& target) {
  const Catalogue catalogue(rules);
  std::vector<Outcome*> outcomes;
  for (CaseResult& one : results) {
    one.outcome = outcome_of(one.planned.subject, one.outcome.seen, catalogue, target);
    outcomes.push_back(&one.outcome);
  }
  hold_pairs_against_rules(outcomes, rules, target);
}

}  // namespace

// Each step requests only the runs that earlier records made necessary. The engine is called a few times with large batches,
// and no run is wasted.
Result<PlanResult> run_plan(const Plan& plan, Runner& runner, const std::vector<Rule>& rules, const Recommend& recommend,
                            const RunOptions& options) {
  Runs runs(runner, options.values_folder, options.on_progress);
  if (options.fault) {
    assert(plan.cases.size() == 1 && "a fault needs a plan of one case");
    runs.inject(plan.cases[0].subject.stack, *options.fault);
  }
  PlanResult result{.hello = runner.hello(), .plan = plan, .cases = {}, .controls = {}};

  std::vector<Trial> trials;
  for (const PlannedCase& planned : plan.cases) trials.push_back(begin_trial(planned, recommend, runs, options.quick));
  std::vector<PlainTwin> plain;
  std::optional<ClippingTwin> clipping;
  if (!options.quick) {
    plain = ask_plain_twins(plan, runs);
    clipping = ask_clipping_twin(plan, runs);
  }
  if (auto status = runs.run(); !status) return status.error();
  if (widen_ranges(trials, recommend, runs, options.quick))
    if (auto status = runs.run(); !status) return status.error();
  move_declined(trials, result.plan);
  for (Trial& trial : trials) {
    if (!trial.layouts.subject.completed()) continue;
    if (has_recorded_digest(trial, options)) trial.again = trial.layouts.subject;
    ask_again(trial, runs, options.quick);
  }
  if (auto status = runs.run(); !status) return status.error();

  auto judged = judge_all(trials);
  if (!judged) return judged.error();
  result.cases = *std::move(judged);
  if (options.quick) {
    for (CaseResult& one : result.cases) one.left_out = kLeftOut;
    compare_with_rules(result.cases, rules, target_of(result.hello));
    return result;
  }
  if (auto status = look_again(trials, result.cases, recommend, runs); !status) return status.error();
  // Only the full stack has the fault, so stacks without one item say nothing about it.
  if (!options.fault) ablate(trials, result.cases);
  compare_with_rules(result.cases, rules, target_of(result.hello));

  // A matrix in float32 arithmetic has no plain twins.
  const bool exact =
      std::ranges::any_of(plan.cases, [](const PlannedCase& c) { return c.subject.settings.arithmetic == Arithmetic::exact; });
  if (exact) result.controls.push_back(plain_control(plain));
  result.controls.push_back(repeat_control(trials));
  result.controls.push_back(shuffled_control(trials));
  result.controls.push_back(clipping_control(clipping));
  return result;
}

std::vector<std::string> right_without(const Trial& trial) {
  const Case& c = trial.planned.subject;
  const PendingRun& reference = trial.layouts.reference;
  // Without its only item, the stack would be its own reference.
  if (c.stack.items.size() < 2) return {};
  if (c.settings.arithmetic != Arithmetic::exact || !reference.completed()) return {};
  std::vector<std::string> items;
  for (std::size_t i = 0; i < trial.twins.size(); ++i) {
    const PendingRun& twin = trial.twins[i];
    if (!twin.completed() || reference_of(twin.subject()) != reference.subject()) continue;
    if (!first_difference(reference.record(), twin.record())) items.push_back(print(c.stack.items[i]));
  }
  return items;
}

namespace {

// Whether the variant differs too. Compares it with the same references as the case itself, in the same order, but does not
// measure distances.
Result<bool> is_there(const Layouts& layouts) {
  const Case& variant = layouts.subject.subject();
  const Record &got = layouts.subject.record(), &reference = layouts.reference.record();
  if (left_numbers_alone(reference, got)) return true;
  if (got.ending != Ending::completed) return false;
  if (!replicas_agree(got)) return true;
  if (is_held_against_one_rank(variant, got)) return differ(reference, got);
  if (layouts.near) {
    const auto closeness = closeness_of(*layouts.near, got);
    if (!closeness) return closeness.error();
    if (!closeness->beyond.empty()) return true;
  }
  return layouts.recommended && differ(layouts.recommended->record(), got);
}

}  // namespace

void ask_variants(Trial& trial, const Recommend& recommend, Runs& runs) {
  for (const Case& c : variants_of(trial.planned.subject)) {
    Layouts layouts = ask_layouts(c, recommend, runs);
    if (is_held_against_noise_floor(c)) layouts.near = ask_closeness(c, runs);
    trial.variants.push_back({.where = name_of_variant(trial.planned.subject, c), .layouts = std::move(layouts)});
  }
}

void ask_variants_of_compiler_code(Trial& trial, Runs& runs) {
  const Case own = compiler_code_of(trial.planned.subject);
  for (const Case& c : variants_of(own)) {
    const auto with_tensors = [&](const Case& one) { return runs.ask(one, Turn::first, Keep::values); };
    trial.variants.push_back({.where = name_of_variant(own, c),
                              .layouts = {.subject = with_tensors(c),
                                          .reference = with_tensors(reference_of(c)),
                                          .recommended = {},
                                          .near = ask_closeness(c, runs)}});
  }
}

Result<Verdict> persists(const Trial& trial, std::string& how) {
  std::vector<SeenVariant> seen;
  for (const Variant& variant : trial.variants) {
    const Record& got = variant.layouts.subject.record();
    const auto there = says_nothing(got.ending) ? Result<bool>(false) : is_there(variant.layouts);
    if (!there) return there.error();
    seen.push_back({.where = variant.where, .got = &got, .there = *there});
  }
  return persists(seen, how);
}

}  // namespace ordercheck
