#include "rules/target_runs.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include <fmt/format.h>

#include "base/text.h"
#include "rules/finding_text.h"
#include "rules/job.h"
#include "rules/pins.h"
#include "rules/run_support.h"
#include "stack/case.h"
#include "stack/mesh.h"
#include "stack/notation.h"
#include "stack/trainer.h"

namespace ordercheck {
namespace {

// Whether the user's job has a feature that the run's model lacks: experts, tied weights, several microbatches. Different
// sizes do not count; fits rules check those.
bool is_of_another_kind(const Job& job, const Case& ran) {
  const Sizes there = job_of(ran).sizes;
  const auto has_more = [&](const std::string& name, long long least) {
    const auto asked = job.sizes.find(name), had = there.find(name);
    return asked != job.sizes.end() && asked->second > least && (had == there.end() || had->second <= least);
  };
  const auto has_flag = [&](const std::string& name) { return range_of_size(name).most == 1 && has_more(name, 0); };
  return std::ranges::any_of(model_size_names(), has_flag) || has_more("experts", 0) || has_more("microbatches", 1);
}

bool has_experts(const std::string& model) {
  const Sizes sizes = sizes_of_model(model);
  const auto experts = sizes.find("experts");
  return experts != sizes.end() && experts->second > 0;
}

bool asks_for_experts(const Job& job, const std::string& model) {
  const auto experts = job.sizes.find("experts");
  return has_experts(model) || (experts != job.sizes.end() && experts->second > 0);
}

// Whether the model has a rare flag that the job does not ask for.
bool has_rare_flag(const std::string& model, const Job& job) {
  const Sizes sizes = sizes_of_model(model);
  const auto is_set = [](const Sizes& of, const std::string& name) {
    const auto found = of.find(name);
    return found != of.end() && found->second > 0;
  };
  return std::ranges::any_of(rare_flags(),
                             [&](const std::string& name) { return is_set(sizes, name) && !is_set(job.sizes, name); });
}

enum class OfModel { this_one, another };

std::optional<StackRun> best_run(const Stack& written, const Judge& judge, const std::string& model, bool of_this_kind,
                                 OfModel of_model = OfModel::this_one) {
  const Stack stack = names_usual_backend(written) ? without_backend(written) : written;
  const bool open = std::ranges::any_of(stack.items, leaves_backend_open);
  const Stack usual = under_usual_backend(stack);
  std::optional<StackRun> best;
  const auto rank = [&](const StackRun& run) {
    const bool is_as_asked = is_run_of(run.stack, run.usual_backend ? usual : stack);
    const bool is_wrong = is_harm(run.run->verdict);
    // A transform without effect when run without inductor has none with inductor either, but inductor's code hides that from
    // the counters.
    const bool shows_loss = is_as_asked && run.run->verdict == Verdict::ignored;
    const bool hides_nothing = shows_loss || (is_as_asked && is_wrong);
    // If several other models have a run, prefer one that went wrong.
    const bool is_told_last = of_model == OfModel::another && !is_wrong;
    const bool is_of_sizes = !is_as_asked && is_wrong && !sizes_that_do_not_fit(run.stack, judge).empty();
    return std::tuple(run.own_backend && !shows_loss, !is_as_asked, !hides_nothing, run.own_backend, is_of_sizes, is_told_last);
  };
  const std::vector<std::size_t> as_it_is = judge.runs().of_shape(without_degrees(stack));
  const std::vector<std::size_t> as_usual = judge.runs().of_shape(without_degrees(usual));
  std::vector<std::size_t> places;
  std::ranges::set_union(as_it_is, as_usual, std::back_inserter(places));
  for (const std::size_t place : places) {
    const TargetRun& there = judge.runs().runs()[place];
    StackRun run{.run = there.seen,
                 .stack = {},
                 .usual_backend = open && contains(as_usual, place),
                 .own_backend = open && contains(as_it_is, place)};
    const std::string& ran_model = of_model == OfModel::this_one ? model : there.ran.model;
    if (of_model == OfModel::another && has_experts(ran_model) != asks_for_experts(judge.job(), model)) continue;
    if (of_model == OfModel::another && has_rare_flag(ran_model, judge.job())) continue;
    if (there.ran != usual_case(there.ran.stack, ran_model, there.seen->engine)) continue;
    if (of_this_kind && is_of_another_kind(judge.job(), there.ran)) continue;
    run.stack = there.ran.stack;
    if (!best || rank(run) < rank(*best)) best = std::move(run);
  }
  return best;
}

}  // namespace

bool is_run_of(const Stack& ran, const Stack& asked) {
  const Stack had = with_trainer(ran), wanted = with_trainer(asked);
  if (without_degrees(had) != without_degrees(wanted)) return false;
  for (std::size_t i = 0; i < wanted.items.size(); ++i)
    if (!wanted.items[i].degrees.empty() && wanted.items[i].degrees != had.items[i].degrees) return false;
  return true;
}

std::optional<StackRun> run_of(const Stack& stack, const Judge& judge, const std::string& model) {
  return best_run(stack, judge, model, true);
}

std::optional<StackRun> run_of_rare_model(const Stack& stack, const Judge& judge, const std::string& model) {
  const bool asks = std::ranges::any_of(rare_flags(), [&](const std::string& name) {
    const auto found = judge.job().sizes.find(name);
    return found != judge.job().sizes.end() && found->second > 0;
  });
  return asks ? best_run(stack, judge, model, true, OfModel::another) : std::nullopt;
}

std::vector<std::string> sizes_that_do_not_fit(const Stack& ran, const Judge& judge) {
  const ConditionValues sizes = values_of(Job{});
  StackMatch match(judge.catalogue(), ran, sizes);
  std::vector<std::string> ids;
  for (const std::size_t page : match.fired())
    if (const Rule& rule = judge.rules()[page]; rule.kind == RuleKind::fits && judge.severity(rule) == Severity::error)
      ids.push_back(rule.id);
  return ids;
}

namespace {

// Runs of the same case and release on other PyTorch releases that ended differently.
std::vector<const Observation*> unlike_on_other_platforms(const Observation& run, const Judge& judge) {
  std::vector<const Observation*> unlike;
  for (const Observation& other : judge.observations())
    if (other.engine == run.engine && other.version == run.version && other.on != run.on && other.case_text == run.case_text &&
        other.verdict != run.verdict)
      unlike.push_back(&other);
  return unlike;
}

}  // namespace

std::string on_platforms(const Observation& run, const Judge& judge) {
  const bool has_others = std::ranges::any_of(judge.observations(), [&](const Observation& other) {
    return other.engine == run.engine && other.version == run.version && other.on != run.on;
  });
  std::string text = has_others ? " on " + run.on : "";
  for (const Observation* other : unlike_on_other_platforms(run, judge))
    text += fmt::format(", {} on {}", verdict_in_words(*other), other->on);
  return text;
}

bool differs_between_platforms(const Observation& run, const Judge& judge) {
  return !unlike_on_other_platforms(run, judge).empty();
}

bool is_answered(const Rule& rule, const Firing& firing, const Stack& stack, const Judge& judge) {
  if (is_cost(rule)) return false;  // the numbers of a slower stack are equal too
  const Target& target = judge.target();
  const Stack counted = names_usual_backend(stack) ? without_backend(stack) : stack;  // generated code hides what is lost
  const bool is_of_sizes = rule.kind == RuleKind::fits;
  if (!is_of_sizes && shows_parity(shown_verdict(rule, firing, counted, target))) return true;
  const std::optional<StackRun> run = run_of(stack, judge, model_of(stack, Case{}.model));
  if (!run || !shows_parity(run->run->verdict)) return false;
  if (is_of_sizes && !is_run_of(run->stack, stack) && !is_run_of(run->stack, under_usual_backend(stack))) return false;
  if (!holds_for(rule, target) && judge.severity(rule) == Severity::advice) return true;
  if (shows_parity(shown_verdict(rule, firing, stack, target))) return true;
  const Expectation* pin = departure_for(rule, target.project, *target.version, run->stack);
  return pin != nullptr && pin->stack && shows_parity(pin->verdict);
}

bool is_shown_wrong(const Stack& stack, const Judge& judge, const std::string& model) {
  std::optional<StackRun> run = best_run(stack, judge, model, false);
  if (!run) run = best_run(stack, judge, model, false, OfModel::another);
  if (!run || !is_harm(run->run->verdict)) return false;
  return mesh_of(run->stack) == mesh_of(stack) || sizes_that_do_not_fit(run->stack, judge).empty();
}

std::string runs_in_words(const Stack& stack, const Judge& judge, const std::string& model, bool sizes_matter) {
  const std::string where = "on " + print(judge.target());
  const auto counts = [&](const std::optional<StackRun>& run) {
    if (!run || mesh_of(run->stack) == mesh_of(stack)) return run.has_value();
    return !sizes_matter && !(is_harm(run->run->verdict) && !sizes_that_do_not_fit(run->stack, judge).empty());
  };
  std::optional<StackRun> run = run_of(stack, judge, model);
  std::string of_model;
  if (!counts(run)) {
    run = best_run(stack, judge, model, true, OfModel::another);
    if (!counts(run)) return "not run " + where;
    of_model = " of model " + parse_case(run->run->case_text)->model;
  }
  std::string text =
      fmt::format("{} when run {}{}{}", name_of(run->run->verdict), where, of_model, on_platforms(*run->run, judge));
  if (run->stack != stack) text += " as " + print(run->stack);
  if (run->own_backend) text += fmt::format(", without {}'s code generation", kUsualBackend);
  return text;
}

}  // namespace ordercheck
