// Activation checkpointing, after torch's checkpoint_wrapper: each block is wrapped in a module that recomputes it in
// backward. The wrapper takes the block's place in its parent, so paths below it gain a component.
#include "ranks/transform/ac.h"

#include "ranks/mechanism/checkpoint_wrapper.h"
#include "ranks/transform/option.h"

namespace ordercheck::ranks {
namespace {

// Every n-th block for the mode "selective", as torchtitan's layer-wise option; 1 otherwise.
int interval_of(const Item& item) { return item.mode == "selective" ? count_option(item, "n", 2) : 1; }

}  // namespace

std::string cannot_ac(const Item& item) {
  if (option_of(item, "reentrant")) return "ac:reentrant is not built; only non-reentrant checkpointing is";
  if (scope_of(item) != Scope::block) return "ac is built for the scope block only";
  if (interval_of(item) < 1) return "ac=selective:n expects n of at least 1";
  return "";
}

void apply_ac(Subject& subject, const Item& item, const Site& site) {
  if (site.mutant == "untouched") return;
  checkpoint_blocks(subject.model, interval_of(item), {});
}

}  // namespace ordercheck::ranks
