// Tensor parallelism after torch's parallelize_module: a plan maps paths to styles, each path is walked down the named
// children, and an entry that meets no module is passed over with a warning. The plan is torchtitan's for llama.
#include "ranks/transform/tp.h"

#include <fmt/format.h>

#include "base/text.h"
#include "ranks/mechanism/parallel_style.h"
#include "ranks/module/rank.h"

namespace ordercheck::ranks {
namespace {

using Style = void (*)(Module&, const StyleSite&);

void split_logits(Module& module, const StyleSite& site) {
  gather_input(module, site);
  split_output_features(module, site);
}

struct PlanEntry {
  const char* path;
  Style style;
};

constexpr PlanEntry kPlan[] = {
    {"tok_embeddings", split_vocabulary},
    {"norm", work_on_sequence_piece},
    {"output", split_logits},
    {"layers.*", outputs_sequence_piece},
    {"layers.*.attention_norm", work_on_sequence_piece},
    {"layers.*.attention", gather_input},
    {"layers.*.attention.wq", split_output_features},
    {"layers.*.attention.wk", split_output_features},
    {"layers.*.attention.wv", split_output_features},
    {"layers.*.attention.inner_attention", outputs_own_heads},
    {"layers.*.attention.wo", split_input_features},
    {"layers.*.ffn_norm", work_on_sequence_piece},
    {"layers.*.feed_forward", gather_input},
    {"layers.*.feed_forward.w1", split_output_features},
    {"layers.*.feed_forward.w2", split_input_features},
    {"layers.*.feed_forward.w3", split_output_features},
};

// The modules that a path leads to, by the names of children as they are now.
std::vector<ModulePtr> walk(const ModulePtr& from, const std::vector<std::string>& path) {
  std::vector<ModulePtr> reached{from};
  for (const std::string& component : path) {
    std::vector<ModulePtr> next;
    for (const ModulePtr& module : reached) {
      for (const auto& [name, child] : module->children()) {
        if (glob_match(component, name)) next.push_back(child);
      }
    }
    reached = std::move(next);
  }
  return reached;
}

void apply_tp(TrainingProgram& program, const Item& item, const Site& site) {
  const StyleSite style_site{.axis = "tp",
                             .mesh = site.mesh,
                             .rank = site.rank,
                             .sequence = option_of(item, "sp").value_or("on") == "on",
                             .mutant = site.mutant};
  for (const PlanEntry& entry : kPlan) {
    const auto modules = walk(program.model, split(entry.path, '.'));
    if (modules.empty()) {
      this_rank().notes.push_back(fmt::format("tp: plan entry '{}' matched no module", entry.path));
    }
    for (const ModulePtr& module : modules) entry.style(*module, style_site);
  }
  // The model hands on what its last module does.
  if (const ModulePtr output = program.model->child("output")) {
    program.model->output_placements = output->output_placements;
  }
}

}  // namespace

Transform tp_transform() {
  return {.built = {.name = "tp", .scopes = {"model"}, .options = {{"sp"}, {"plan", {"all"}}}}, .apply = apply_tp};
}

}  // namespace ordercheck::ranks
