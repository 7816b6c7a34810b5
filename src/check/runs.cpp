#include "check/runs.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include <fmt/format.h>

#include "base/text.h"
#include "rule/bears_out.h"
#include "rule/job.h"
#include "stack/backend.h"
#include "stack/case.h"
#include "stack/mesh.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

// The job has what the run had not: experts, tied weights, a second microbatch ... What is only larger or smaller is for the rules
// about sizes.
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

// A harm with other degrees that a rule about sizes names says nothing of these.
bool fails_by_its_sizes(const Stack& ran, const Judge& judge) {
  const ConditionValues sizes = values_of(Job{});
  StackMatch match(judge.catalogue(), ran, sizes);
  return std::ranges::any_of(places_in(match.fired()),
                             [&](std::size_t page) { return judge.rules()[page].kind == RuleKind::fits; });
}

bool asks_for_experts(const Job& job, const std::string& model) {
  const auto experts = job.sizes.find("experts");
  return has_experts(model) || (experts != job.sizes.end() && experts->second > 0);
}

enum class OfModel { this_one, another };

std::optional<StackRun> best_run(const Stack& stack, const Judge& judge, const std::string& model, bool of_this_kind,
                                 OfModel of_model = OfModel::this_one) {
  const bool open = std::ranges::any_of(stack.items, leaves_backend_open);
  const Stack usual = under_usual_backend(stack);
  std::optional<StackRun> best;
  const auto rank = [&](const StackRun& run) {
    const bool is_as_asked = run.stack == (run.usual_backend ? usual : stack);
    const bool is_wrong = is_harm(run.run->verdict);
    // An effect that is lost without the usual backend is lost with it: its code hides products from the counters.
    const bool shows_loss = is_as_asked && run.run->verdict == Verdict::ignored;
    const bool hides_nothing = shows_loss || (is_as_asked && is_wrong);
    // Of several models the one that a reader has to know of.
    const bool is_told_last = of_model == OfModel::another && !is_wrong;
    const bool is_of_sizes = !is_as_asked && is_wrong && fails_by_its_sizes(run.stack, judge);
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
    if (there.ran != usual_case(there.ran.stack, ran_model, there.seen->engine)) continue;
    if (of_this_kind && is_of_another_kind(judge.job(), there.ran)) continue;
    run.stack = there.ran.stack;
    if (!best || rank(run) < rank(*best)) best = std::move(run);
  }
  return best;
}

}  // namespace

std::optional<StackRun> run_of(const Stack& stack, const Judge& judge, const std::string& model) {
  return best_run(stack, judge, model, true);
}

bool is_shown_wrong(const Stack& stack, const Judge& judge, const std::string& model) {
  std::optional<StackRun> run = best_run(stack, judge, model, false);
  if (!run) run = best_run(stack, judge, model, false, OfModel::another);
  if (!run || !is_harm(run->run->verdict)) return false;
  return mesh_of(run->stack) == mesh_of(stack) || !fails_by_its_sizes(run->stack, judge);
}

std::string runs_in_words(const Stack& stack, const Judge& judge, const std::string& model, bool sizes_matter) {
  const std::string where = "on " + print(judge.target());
  const auto counts = [&](const std::optional<StackRun>& run) {
    if (!run || mesh_of(run->stack) == mesh_of(stack)) return run.has_value();
    return !sizes_matter && !(is_harm(run->run->verdict) && fails_by_its_sizes(run->stack, judge));
  };
  std::optional<StackRun> run = run_of(stack, judge, model);
  std::string of_model;
  if (!counts(run)) {
    run = best_run(stack, judge, model, true, OfModel::another);
    if (!counts(run)) return "not run " + where;
    of_model = " of model " + parse_case(run->run->case_text)->model;
  }
  std::string text = fmt::format("{} when run {}{}", name_of(run->run->verdict), where, of_model);
  if (run->stack != stack) text += " as " + print(run->stack);
  if (run->own_backend) text += fmt::format(", without {}'s code generation", kUsualBackend);
  return text;
}

}  // namespace ordercheck
