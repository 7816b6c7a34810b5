// `ac`: activation checkpointing of each block (full), or of every n-th (selective:n=2).
// Activation checkpointing, after torch's checkpoint_wrapper: each block is wrapped in a module that recomputes it in
// backward. The wrapper takes the block's place in its parent, so paths below it gain a component.
#include "ranks/mechanism/checkpoint_wrapper.h"
#include "ranks/transform/transform.h"

namespace ordercheck::ranks {
namespace {

// Every n-th block for the mode "selective", as torchtitan's layer-wise option; 1 otherwise.
int interval_of(const Item& item) { return item.mode == "selective" ? count_option(item, "n", 2) : 1; }

void apply_ac(TrainingProgram& program, const Item& item, const Site&) {
  const RecomputeOptions options{.reentrant = option_of(item, "reentrant").has_value(),
                                 .preserve_random_state = option_of(item, "preserve_rng_state") != "off"};
  for (const ModulePtr& model : program.parts) checkpoint_blocks(model, interval_of(item), options);
}

}  // namespace

Transform ac_transform() {
  return {.built = {.name = "ac", .scopes = {"block"}, .options = {{"n"}, {"reentrant"}, {"preserve_rng_state"}}},
          .apply = apply_ac};
}

}  // namespace ordercheck::ranks
