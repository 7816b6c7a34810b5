#include "import/recording/effects.h"

#include <algorithm>
#include <map>
#include <string>

#include <fmt/format.h>

#include "base/text.h"
#include "base/wording.h"

namespace ordercheck {
namespace {

std::string listed(const std::map<std::string, int>& names) {
  std::vector<std::string> parts;
  for (const auto& [name, count] : names) {
    if (parts.size() == 3) break;
    parts.push_back(count == 1 ? name : fmt::format("{} ({})", name, count));
  }
  const std::size_t rest = names.size() - parts.size();
  return join(parts, ", ") + (rest == 0 ? "" : fmt::format(" and {} more", rest));
}

int total(const std::map<std::string, int>& names) {
  int sum = 0;
  for (const auto& [name, count] : names) sum += count;
  return sum;
}

// Whether the module is changed by what the call returns, or in place by a mark that the recorder counts.
bool makes_wrapper(const std::string& call) {
  return call == "torch.compile" || call == "Module.compile" || call == "checkpoint_wrapper";
}

bool is_placed(const RecordedModel& model, const std::string& placement) {
  return std::ranges::any_of(model.parameters, [&](const RecordedLayout& layout) {
    return layout.mesh &&
           std::ranges::any_of(layout.placements, [&](const std::string& one) { return one.find(placement) != one.npos; });
  });
}

}  // namespace

std::vector<NotUnderstood> missing_effects(const Recording& recording, const RecordedModel& model, const RecordedOrder& order) {
  std::vector<NotUnderstood> notes;
  if (!recording.has_stepped) return notes;
  const auto find = [&](const std::string& name) -> const AppliedTransform* {
    const auto found = std::ranges::find(order.transforms, name, &AppliedTransform::name);
    return found == order.transforms.end() ? nullptr : *found;
  };
  const auto add = [&](std::size_t event, std::string why, NoteKind kind) {
    const RecordedSite& site = recording.sites[recording.events[event].site];
    notes.push_back({.text = site.call, .where = place_of(site), .why = std::move(why), .kind = kind});
  };
  // What a call returned may not have been put into the model.
  const auto note_lost_wrappers = [&](const AppliedTransform& transform, int RecordedModules::* count, const char* what) {
    std::map<std::string, int> reached;
    for (const std::size_t event : transform.events)
      if (const RecordedEvent& one = recording.events[event]; one.module && makes_wrapper(recording.sites[one.site].call))
        ++reached[pattern_of(*one.module)];
    for (const auto& [pattern, number] : reached) {
      const auto found = model.modules.find(pattern);
      const int left = found == model.modules.end() ? 0 : found->second.*count;
      if (left < number)
        add(transform.events.front(),
            fmt::format("{} of {} {} of the trained model are {}", left, number, pattern.empty() ? "models" : pattern, what),
            NoteKind::ineffective);
    }
  };
  for (const RecordedOptimizer& one : recording.optimizers) {
    if (!one.has_stepped || one.not_in_model == 0) continue;
    // A parameter of its own, such as a temperature, is in no model either: it is lost where the model's are not held.
    const bool has_lost = !recording.not_held.empty();
    add(one.event,
        has_lost ? fmt::format("{} of its {} parameters are in no model: it was made before their module was transformed, and "
                               "updates nothing",
                               one.not_in_model, one.parameters)
                 : fmt::format("{} of its {} parameters are in no model", one.not_in_model, one.parameters),
        has_lost ? NoteKind::ineffective : NoteKind::remark);
  }
  const AppliedTransform* compiled = find("compile");
  if (compiled != nullptr && recording.graphs && recording.graphs->graphs == 0)
    add(compiled->events.front(), "the first step captured no graph", NoteKind::ineffective);
  else if (compiled != nullptr)
    note_lost_wrappers(*compiled, &RecordedModules::compiled, "compiled");
  const AppliedTransform* checkpoint = find("ac") != nullptr ? find("ac") : find("sac");
  if (checkpoint != nullptr) note_lost_wrappers(*checkpoint, &RecordedModules::wrapped, "checkpointed");
  long long checkpointed = 0, recomputed = 0;
  for (const auto& [pattern, row] : model.modules) {
    checkpointed += row.checkpointed;
    recomputed += row.recomputed;
  }
  // Within a compiled region the compiler recomputes, and no call shows it.
  if (checkpoint != nullptr && compiled == nullptr && checkpointed == 0)
    add(checkpoint->events.front(), "the first step ran no checkpointed module", NoteKind::ineffective);
  else if (checkpoint != nullptr && compiled == nullptr && recomputed < checkpointed)
    // Blocks without gradients are recomputed by no backward.
    add(checkpoint->events.front(),
        fmt::format("backward recomputed {} of {}", recomputed, counted(checkpointed, "checkpointed module")),
        recomputed == 0 ? NoteKind::ineffective : NoteKind::remark);
  for (const char* name : {"fsdp", "hsdp"})
    if (const AppliedTransform* sharded = find(name); sharded != nullptr && !is_placed(model, "S("))
      add(sharded->events.front(), "no parameter of the model is sharded", NoteKind::ineffective);
  if (const int count = total(recording.not_held); count > 0)
    notes.push_back({.text = "optimizer",
                     .where = {},
                     .why = fmt::format("holds no {}: {}", counted(count, "trained parameter"), listed(recording.not_held)),
                     .kind = NoteKind::remark});
  if (const int count = total(model.without_gradient); count > 0)
    notes.push_back(
        {.text = "gradients",
         .where = {},
         .why = fmt::format("{} had none in the first step: {}", counted(count, "parameter"), listed(model.without_gradient)),
         .kind = NoteKind::remark});
  if (recording.graphs)
    for (const RecordedBreak& one : recording.graphs->breaks)
      notes.push_back({.text = "graph break", .where = one.where.value_or(Origin{}), .why = one.why, .kind = NoteKind::remark});
  return notes;
}

}  // namespace ordercheck
