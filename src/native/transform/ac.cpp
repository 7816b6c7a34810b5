// `ac`: activation checkpointing of each block (full), or of every n-th one (selective:n=2), after torch's checkpoint_wrapper.
// The wrapper replaces the block in its parent, so paths below it gain a component.
#include "native/transform/checkpoint_wrapper.h"
#include "native/transform/transform.h"

namespace ordercheck::ranks {
namespace {

// Every n-th block in mode "selective", as torchtitan's layer-wise option; 1 otherwise.
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
