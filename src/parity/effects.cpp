#include <cassert>

#include "parity/effect_families.h"
#include "stack/notation.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

// No default: an effect that nobody shows is a warning of the compiler and ends in the assertion.
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
  const std::optional<Record> own = c.apply.empty() ? std::nullopt : std::optional(with_own_mesh(with));
  const EffectRuns runs{.subject = c, .index = index, .with = own ? *own : with, .without = without ? &*without : nullptr};
  const Item& item = runs.item();
  const TransformInfo* info = find_transform(item.name);
  if (info == nullptr || info->owes.empty())  // a transform of a test has no row
    return {.transform = print(item), .defined = false, .signs = {{.text = "no effect is stated for " + item.name}}};
  Showing showing;
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

}  // namespace ordercheck
