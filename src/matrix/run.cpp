#include "matrix/run.h"

#include <algorithm>
#include <cassert>
#include <map>

#include <fmt/format.h>

#include "matrix/controls.h"
#include "matrix/persistence.h"
#include "matrix/summary.h"

namespace ordercheck {
namespace {

bool completed(const Batch& batch, const Case& c) { return batch.record(c).ending == Ending::completed; }

// What the engine declines although its hello named all the transforms: options, scopes, sizes.
void move_declined(const Batch& batch, Plan& plan) {
  std::vector<PlannedCase> kept;
  for (PlannedCase& planned : plan.cases) {
    const Record& record = batch.record(planned.subject);
    if (record.ending != Ending::unsupported) {
      kept.push_back(std::move(planned));
      continue;
    }
    const std::string why = record.failure ? record.failure->message : "no reason given";
    plan.not_planned.push_back({std::move(planned.subject), std::move(planned.sources),
                                fmt::format("the {} engine declines it: {}", plan.engine, why)});
  }
  plan.cases = std::move(kept);
  std::ranges::sort(plan.not_planned, {}, [](const NotPlanned& one) { return print(one.subject); });
}

// Where two runs parted in step n, later steps add nothing.
Case until_difference(Case c, const Judgement& judgement) {
  if (judgement.difference) c.settings.steps = std::min(c.settings.steps, judgement.difference->step + 1);
  return c;
}

// What the first difference is of has hashes alone in a record; where it is a tensor its numbers are told too.
Status tell_numbers(const Record& owed, const Record& got, Judgement& judgement) {
  if (!judgement.difference) return Done{};
  const std::string& what = judgement.difference->what;
  const bool gradient = what.starts_with("gradient of ");
  constexpr std::string_view kParameter = "parameter ";
  if (!gradient && !what.starts_with(kParameter)) return Done{};
  const auto apart = gradient ? divergence_of(what, judgement.difference->step, owed, got)
                              : divergence_of(what.substr(kParameter.size()), judgement.difference->step - 1, owed, got);
  if (!apart) return apart.error();
  if (*apart) judgement.reason += fmt::format("; {}, up to {:.3g} apart", magnitudes_text(**apart), (*apart)->apart);
  return Done{};
}

// A run that left its range has no numbers to compare; the one that kept its tensors went on past it.
void name_first_difference(Outcome& outcome, const Record& owed, const Record& got) {
  Judgement& judgement = outcome.judgement;
  if (outcome.record.ending != Ending::out_of_range) return;
  if (owed.ending != Ending::completed || got.ending != Ending::completed) return;
  judgement.difference = first_difference(owed, got);
  if (judgement.difference)
    judgement.reason +=
        fmt::format("; what differs first is the {} of step {}", judgement.difference->what, judgement.difference->step);
}

Status second_look(Batch& batch, std::vector<Outcome>& outcomes, const Recommend& recommend) {
  std::vector<Outcome*> differing;
  for (Outcome& outcome : outcomes)
    if (outcome.judgement.verdict == Verdict::differs) differing.push_back(&outcome);
  for (Outcome* outcome : differing) want_variants(batch, outcome->planned.subject, recommend);
  if (auto status = batch.run(); !status) return status;
  for (Outcome* outcome : differing) {
    const auto there = persists(batch, outcome->planned.subject, recommend, outcome->persistence);
    if (!there) return there.error();
    if (*there) continue;
    outcome->judgement.verdict = Verdict::unstable;
    outcome->judgement.reason += "; " + outcome->persistence;
  }
  std::erase_if(differing, [](Outcome* outcome) {
    return outcome->judgement.verdict != Verdict::differs || !is_bitwise(outcome->judgement);
  });
  for (Outcome* outcome : differing) {
    const Case& subject = outcome->planned.subject;
    want_tensors(batch, until_difference(subject, outcome->judgement),
                 until_difference(counterpart_of(batch, subject, recommend), outcome->judgement));
  }
  if (auto status = batch.run(); !status) return status;
  for (Outcome* outcome : differing) {
    const Case& subject = outcome->planned.subject;
    const Case counterpart = counterpart_of(batch, subject, recommend);
    const Record& owed = batch.record(until_difference(counterpart, outcome->judgement), 0, Keep::values);
    const Record& got = batch.record(until_difference(subject, outcome->judgement), 0, Keep::values);
    auto divergence = first_divergence(owed, got);
    if (!divergence) return divergence.error();
    outcome->divergence = *divergence;
    if (const auto told = tell_numbers(owed, got, outcome->judgement); !told) return told.error();
    name_first_difference(*outcome, owed, got);
  }
  return Done{};
}

}  // namespace

Result<MatrixResult> run_matrix(const Plan& plan, Runner& runner, const std::vector<Rule>& rules, const Recommend& recommend,
                                const RunOptions& options) {
  Batch batch(runner, options.values_folder, options.on_progress);
  MatrixResult result{.hello = runner.hello(), .plan = plan, .outcomes = {}, .controls = {}};
  const Target target = target_of(result.hello);
  if (!options.mutant.empty() || options.fault) {
    assert(plan.cases.size() == 1 && "a mutant or a fault is for a plan of one case");
    batch.mutate(plan.cases[0].subject.stack, options.mutant, options.fault);
  }

  for (const PlannedCase& planned : plan.cases) want_first_runs(batch, planned.subject, recommend);
  want_plain_twins(batch, plan);
  if (auto status = batch.run(); !status) return status.error();
  move_declined(batch, result.plan);
  for (const PlannedCase& planned : result.plan.cases)
    if (completed(batch, planned.subject)) want_again(batch, planned.subject);
  if (auto status = batch.run(); !status) return status.error();

  for (const PlannedCase& planned : result.plan.cases) {
    Outcome outcome{.planned = planned, .record = batch.record(planned.subject)};
    auto comparison = comparison_of(batch, planned.subject, recommend);
    if (!comparison) return comparison.error();
    outcome.judgement = judge(*comparison);
    outcome.prediction = predict(planned.subject.stack, rules, target);
    result.outcomes.push_back(std::move(outcome));
  }
  if (auto status = second_look(batch, result.outcomes, recommend); !status) return status.error();
  for (Outcome& outcome : result.outcomes) hold_against_rules(outcome);
  hold_pairs_against_rules(result.outcomes, rules, target);
  // A matrix without the grid has no twins without it.
  const bool exact =
      std::ranges::any_of(plan.cases, [](const PlannedCase& c) { return c.subject.settings.arithmetic == Arithmetic::exact; });
  if (exact) result.controls.push_back(plain_control(batch, plan));
  result.controls.push_back(repeat_control(batch, result.plan));
  result.controls.push_back(shuffled_control(result.outcomes));
  return result;
}

Tally tally_of(const MatrixResult& result) {
  Tally tally;
  std::map<Verdict, int> verdicts;
  for (const Outcome& outcome : result.outcomes) {
    ++verdicts[outcome.judgement.verdict];
    tally.confirmed += outcome.agreement == Agreement::confirmed;
    tally.open += outcome.agreement == Agreement::open;
    tally.undecided += outcome.agreement == Agreement::undecided;
    if (outcome.agreement == Agreement::contradiction) ++(outcome.explanation.empty() ? tally.contradictions : tally.explained);
  }
  tally.verdicts.assign(verdicts.begin(), verdicts.end());
  for (const Control& control : result.controls) tally.controls_failed += control.judged && !control.held;
  return tally;
}

}  // namespace ordercheck
