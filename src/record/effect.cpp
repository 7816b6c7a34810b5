#include "record/effect.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "record/counters.h"
#include "record/effect_families.h"
#include "stack/notation.h"
#include "stack/transforms.h"

namespace ordercheck {
std::string print(const std::vector<Sign>& signs) {
  std::vector<std::string> texts;
  for (const Sign& sign : signs) texts.push_back((sign.missing ? "missing: " : "") + sign.text);
  return join(texts, "; ");
}

bool is_lost(const Effect& effect) { return effect.defined && !effect.present; }

std::string loss_in_words(const Effect& lost) {
  std::vector<std::string> missing, others;
  for (const Sign& sign : lost.signs) (sign.missing ? missing : others).push_back(sign.text);
  const std::string beside = missing.empty() || others.empty() ? "" : fmt::format(" ({})", join(others, "; "));
  return fmt::format("{} has {}: {}{}", lost.transform, lost.partly ? "only a part of its effect" : "no effect",
                     join(missing.empty() ? others : missing, "; "), beside);
}

std::vector<Effect> lost_effects(const std::vector<Effect>& effects) {
  std::vector<Effect> nothing, part;
  for (const Effect& effect : effects)
    if (is_lost(effect)) (effect.partly ? part : nothing).push_back(effect);
  return nothing.empty() ? part : nothing;
}

namespace {

// No default label: the compiler then warns about an effect without a check.
void show(OwedEffect owed, Showing& showing, const EffectRuns& runs) {
  switch (owed) {
    case OwedEffect::recompute: return show_recompute(showing, runs);
    case OwedEffect::kept: return show_kept(showing, runs);
    case OwedEffect::captured: return show_captured(showing, runs);
    case OwedEffect::tensor_parallel: return show_tensor_parallel(showing, runs);
    case OwedEffect::context_parallel: return show_context_parallel(showing, runs);
    case OwedEffect::expert_parallel: return show_expert_parallel(showing, runs);
    case OwedEffect::pipeline: return show_pipeline(showing, runs);
    case OwedEffect::sharded: return show_sharded(showing, runs);
    case OwedEffect::replicated: return show_replicated(showing, runs);
    case OwedEffect::placed: return show_placed(showing, runs);
    case OwedEffect::moved_numbers: return show_moved_numbers(showing, runs);
    case OwedEffect::updates: return show_updates(showing, runs);
  }
  assert(false && "every owed effect has a function that shows it");
}

}  // namespace

Effect effect_of(const Case& c, std::size_t index, const Record& with, const std::optional<Record>& without,
                 bool twin_was_run) {
  assert(index < c.stack.items.size() && "an effect belongs to an item of the stack");
  assert(with.ending == Ending::completed && (!without || without->ending == Ending::completed));
  // A user's `apply` function may build its own mesh, with group names that are unknown here. So treat its groups as those of
  // the stack's mesh.
  const std::optional<Record> own = c.apply.empty() ? std::nullopt : std::optional(with_own_mesh(with));
  const EffectRuns runs{.subject = c, .index = index, .with = own ? *own : with, .without = without ? &*without : nullptr};
  const Item& item = runs.item();
  const TransformInfo* info = find_transform(item.name);
  if (info == nullptr || info->owes.empty())  // a test's transform is not in the catalogue
    return {.transform = print(item), .defined = false, .signs = {{.text = "no effect is stated for " + item.name}}};
  Showing showing;
  // A single rank does not communicate, so there is nothing to check.
  if (!info->axes.empty() && world_size(runs.mesh()) == 1) {
    showing.remark("degree 1: nothing to show");
    return showing.effect(item);
  }
  for (const OwedEffect owed : info->owes) show(owed, showing, runs);
  if (!without)
    showing.remark(!c.apply.empty() ? "compared with nothing: a --apply function is not run without one of its transforms"
                   : twin_was_run   ? "the stack without it did not complete, so it is compared with nothing"
                                    : "compared with nothing: the stack without it was not run");
  return showing.effect(item);
}

namespace {

constexpr std::string_view kOfCompile = "compile: ";
constexpr std::string_view kNoCode = "compile: without inductor";  // a note of an engine about its compile

}  // namespace

void show_captured(Showing& showing, const EffectRuns& runs) {
  const auto captures = runs.with.counters.graph_captures;
  const auto scope = runs.with.counters.products_in_scope, in_graphs = runs.with.counters.products_in_graphs;
  if (showing.measured("graphs captured", {captures})) {
    const std::string phrase = fmt::format("{} {} captured", captures, captures == 1 ? "graph" : "graphs");
    // A graph that is captured but never runs is no effect. So the matrix products that ran in graphs decide, if they are
    // measured.
    const bool told_by_products = is_measured(scope) && scope > 0;
    told_by_products ? showing.remark(phrase) : showing.expect(captures > 0, phrase);
  }
  if (showing.measured("matrix products in captured graphs", {scope, in_graphs}) && scope > 0)
    showing.expect_all(in_graphs, scope,
                       fmt::format("{} of {} matrix products of its scope ran in captured graphs", in_graphs, scope));
  for (const std::string& note : runs.with.notes)
    if (note.starts_with(kNoCode)) showing.remark(note.substr(kOfCompile.size()));
}

void show_moved_numbers(Showing& showing, const EffectRuns& runs) {
  if (!runs.without) return;
  std::size_t moved = 0;
  const std::size_t steps = std::min(runs.with.steps.size(), runs.without->steps.size());
  for (std::size_t i = 0; i < steps; ++i) moved += runs.with.steps[i].loss != runs.without->steps[i].loss;
  showing.expect(moved > 0, fmt::format("{} of {} losses are others than without it", moved, steps));
}

void show_updates(Showing& showing, const EffectRuns& runs) {
  std::size_t changed = 0;
  for (const ParameterRecord& p : runs.with.parameters) changed += p.changed;
  showing.expect(changed > 0, fmt::format("{} of {} parameters changed", changed, runs.with.parameters.size()));
}

void show_recompute(Showing& showing, const EffectRuns& runs) {
  const Counters& with = runs.with.counters;
  const Counters without = runs.without ? runs.without->counters : Counters{};
  if (showing.measured("operators recomputed", {with.operators_recomputed, without.operators_recomputed}))
    showing.expect(
        with.operators_recomputed > without.operators_recomputed,
        fmt::format("{} operators recomputed, {} without it", with.operators_recomputed, without.operators_recomputed));
  if (runs.without && showing.measured("bytes saved for backward", {with.saved_bytes_peak, without.saved_bytes_peak}))
    showing.expect(with.saved_bytes_peak < without.saved_bytes_peak,
                   fmt::format("bytes saved for backward {}, {} without it", with.saved_bytes_peak, without.saved_bytes_peak));
}

void show_kept(Showing& showing, const EffectRuns& runs) {
  const auto with = runs.with.counters.operators_kept;
  const auto without = runs.without ? runs.without->counters.operators_kept : 0;
  if (showing.measured("results kept by its policy", {with, without}))
    showing.expect(with > without, fmt::format("{} results kept by its policy, {} without it", with, without));
}

}  // namespace ordercheck
