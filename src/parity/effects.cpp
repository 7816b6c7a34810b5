#include <algorithm>
#include <array>
#include <cassert>

#include <fmt/format.h>

#include "parity/effect_families.h"
#include "stack/mesh.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

// Those that spread over ranks; of degree 1 they owe nothing.
constexpr std::array<std::string_view, 7> kParallel{"pp", "tp", "cp", "fsdp", "hsdp", "ddp", "replicate"};

void show_updates(Showing& showing, const Record& with) {
  std::size_t changed = 0;
  for (const auto& p : with.parameters) changed += p.changed;
  showing.expect(changed > 0, fmt::format("{} of {} parameters changed", changed, with.parameters.size()));
}

// False where nothing is stated about the transform.
bool show(Showing& showing, const EffectRuns& runs, const Mesh& mesh) {
  const std::string& name = runs.item().name;
  if (name == "ac" || name == "sac") {
    show_recompute(showing, runs);
    if (name == "sac") show_kept(showing, runs);
  } else if (name == "tp") {
    show_tensor_parallel(showing, runs, world_size(mesh));
  } else if (name == "cp") {
    show_context_parallel(showing, runs, world_size(mesh));
  } else if (name == "amp") {
    show_moved_numbers(showing, runs);
  } else if (name == "pp") {
    show_pipeline(showing, runs);
  } else if (name == "fsdp" || name == "hsdp") {
    show_sharded(showing, runs, degree_of(mesh, "dp_shard"), degree_of(mesh, "dp_replicate"));
  } else if (name == "ddp" || name == "replicate") {
    show_replicated(showing, runs);
  } else if (name == "optimizer") {
    show_updates(showing, runs.with);
  } else if (name == "compile") {
    show_captured(showing, runs.with);
  } else {
    return false;
  }
  return true;
}

}  // namespace

Effect effect_of(const Case& c, std::size_t index, const Record& with, const std::optional<Record>& without) {
  assert(index < c.stack.items.size() && "an effect belongs to an item of the stack");
  assert(with.ending == Ending::completed && (!without || without->ending == Ending::completed));
  const EffectRuns runs{.subject = c, .index = index, .with = with, .without = without ? &*without : nullptr};
  const Item& item = runs.item();
  const Mesh mesh = mesh_of(Stack{.items = {item}});
  Showing showing;
  if (std::ranges::find(kParallel, item.name) != kParallel.end() && world_size(mesh) == 1) {
    showing.remark("degree 1: nothing to show");
    return showing.effect(item);
  }
  if (!show(showing, runs, mesh))
    return {.transform = print(item), .defined = false, .signs = {{.text = "no effect is stated for " + item.name}}};
  if (!without) showing.remark("the stack without it did not complete, so nothing was held against it");
  return showing.effect(item);
}

}  // namespace ordercheck
