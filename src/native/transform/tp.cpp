// `tp`: tensor parallelism by a plan of module paths, with sequence parallelism unless `sp=off`.
//
//   plan=blocks     leaves embedding, last norm and output whole, and the activations between blocks too
//   rest=plain      leaves the remaining parameters unchanged; by default they become replicated on the axis
//   loss_parallel   keeps logits split over the vocabulary; a split output always does so here
//
// After torch's parallelize_module: a plan maps paths to styles, and each path follows named children. An entry that matches no
// module is skipped with a warning. The plan is torchtitan's for llama.
#include <span>

#include <fmt/format.h>

#include "base/text.h"
#include "native/module/rank.h"
#include "native/transform/parallel_style.h"
#include "native/transform/transform.h"

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

constexpr PlanEntry kPlanOfRoot[] = {
    {"tok_embeddings", split_vocabulary},
    {"norm", work_on_sequence_piece},
    {"output", split_logits},
};

constexpr PlanEntry kPlanOfBlocks[] = {
    {"layers.*", outputs_sequence_piece},
    {"layers.*.attention_norm", work_on_sequence_piece},
    {"layers.*.attention", gather_input},
    {"layers.*.attention.wq", split_output_features},
    {"layers.*.attention.wk", split_output_features},
    {"layers.*.attention.wv", split_output_features},
    {"layers.*.attention.inner_attention", outputs_own_heads},
    {"layers.*.attention.wo", split_input_features},
    {"layers.*.ffn_norm", work_on_sequence_piece},
};

constexpr PlanEntry kPlanOfFeedForward[] = {
    {"layers.*.feed_forward", gather_input},
    {"layers.*.feed_forward.w1", split_output_features},
    {"layers.*.feed_forward.w2", split_input_features},
    {"layers.*.feed_forward.w3", split_output_features},
};

constexpr PlanEntry kPlanOfDropout[] = {
    {"layers.*.attention_dropout", take_positions_of_piece},
    {"layers.*.ffn_dropout", take_positions_of_piece},
};

// For a mixture of experts in place of a feed-forward network: router and experts work on a sequence piece, and only the shared
// experts are split. As in Megatron-LM; torchtitan gathers the tokens first.
constexpr PlanEntry kPlanOfExperts[] = {
    {"layers.*.moe", outputs_sequence_piece},
    {"layers.*.moe.router", outputs_sequence_piece},
    {"layers.*.moe.router.gate", work_on_sequence_piece},
    {"layers.*.moe.shared_experts", gather_input},
    {"layers.*.moe.shared_experts.w1", split_output_features},
    {"layers.*.moe.shared_experts.w2", split_input_features},
    {"layers.*.moe.shared_experts.w3", split_output_features},
};

// Returns the modules that match a path, by the current names of children.
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

void apply_entries(std::span<const PlanEntry> entries, const ModulePtr& model, const StyleSite& site) {
  for (const PlanEntry& entry : entries) {
    const auto modules = walk(model, split(entry.path, '.'));
    if (modules.empty()) this_rank().notes.push_back(fmt::format("tp: plan entry '{}' matched no module", entry.path));
    for (const ModulePtr& module : modules) entry.style(*module, site);
  }
}

void apply_plan(const ModulePtr& model, const StyleSite& site, bool whole) {
  const bool has_experts = !walk(model, {"layers", "*", "moe"}).empty();
  if (whole) apply_entries(kPlanOfRoot, model, site);
  apply_entries(kPlanOfBlocks, model, site);
  if (has_experts)
    apply_entries(kPlanOfExperts, model, site);
  else
    apply_entries(kPlanOfFeedForward, model, site);
  if (!walk(model, {"layers", "*", "attention_dropout"}).empty()) apply_entries(kPlanOfDropout, model, site);
  // The model returns the output of its last module.
  if (const ModulePtr output = model->child("output")) model->output_placements = output->output_placements;
}

// Replicates the remaining parameters on the axis, as torchtitan's NoParallel makes them replicated DTensors.
void replicate_rest(const ModulePtr& model) {
  for (const ModulePtr& module : modules_of(model)) {
    const auto slots = module->parameters();  // a copy: the loop modifies the original
    for (const auto& [slot, parameter] : slots)
      if (parameter->placements.empty()) module->set_parameter(slot, replicate(*parameter, "tp"));
  }
}

void apply_tp(TrainingProgram& program, const Item& item, const Site& site) {
  // With a plan of the blocks only, the other modules take and return whole activations.
  const bool whole = option_of(item, "plan").value_or("all") == "all";
  const StyleSite style_site{
      .axis = "tp", .mesh = site.mesh, .rank = site.rank, .sequence = whole && option_of(item, "sp").value_or("on") == "on"};
  for (const ModulePtr& model : program.parts) {
    apply_plan(model, style_site, whole);
    if (!whole && option_of(item, "rest") != "plain") replicate_rest(model);
  }
  if (!style_site.sequence) return;
  program.splits_activations.emplace_back("tp");
  // Experts see sequence pieces too, and have whole parameters on every rank.
  std::vector<Module*> experts;
  for (const ModulePtr& model : program.parts)
    for (const ModulePtr& module : walk(model, {"layers", "*", "moe", "experts"})) experts.push_back(module.get());
  if (!experts.empty())
    program.late_sums.push_back(
        {.axis = "tp", .of = [experts](const NamedParameter& named) { return contains(experts, named.owner); }});
}

}  // namespace

Transform tp_transform() {
  return {.built = {.name = "tp", .scopes = {"model"}, .options = {{"sp"}, {"plan"}, {"rest"}, {"loss_parallel"}}},
          .apply = apply_tp};
}

}  // namespace ordercheck::ranks
