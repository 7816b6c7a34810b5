// Activation checkpointing, after torch's checkpoint_wrapper: each block is wrapped in a module that recomputes it in
// backward. The wrapper takes the block's place in its parent, so paths below it gain a component.
#include "ranks/transform/ac.h"

#include <charconv>

#include "ranks/transform/recompute.h"

namespace ordercheck::ranks {
namespace {

constexpr const char* kWrapped = "_checkpoint_wrapped_module";  // torch's name for it

class CheckpointWrapper final : public Module {
 public:
  explicit CheckpointWrapper(ModulePtr wrapped) : Module("CheckpointWrapper") { set_child(kWrapped, std::move(wrapped)); }
  bool is_wrapper() const override { return true; }

 protected:
  at::Tensor forward(const Tensors& inputs) override {
    const ModulePtr wrapped = child(kWrapped);
    return recompute_in_backward([wrapped](const Tensors& again) { return wrapped->call(again); }, inputs, {});
  }
};

// Every n-th block for the mode "selective", as torchtitan's layer-wise option; 1 otherwise.
int interval_of(const Item& item) {
  if (item.mode != "selective") return 1;
  const std::string text = option_of(item, "n").value_or("2");
  int n = 0;
  std::from_chars(text.data(), text.data() + text.size(), n);
  return n;
}

}  // namespace

std::string cannot_ac(const Item& item) {
  if (option_of(item, "reentrant")) return "ac:reentrant is not built; only non-reentrant checkpointing is";
  if (scope_of(item) != Scope::block) return "ac is built for the scope block only";
  if (interval_of(item) < 1) return "ac=selective:n expects n of at least 1";
  return "";
}

void apply_ac(Subject& subject, const Item& item, const Site& site) {
  if (site.mutant == "untouched") return;
  const ModulePtr layers = subject.model->child("layers");
  const int interval = interval_of(item);
  int index = 0;
  const auto blocks = layers->children();  // a copy: the loop changes what it walks
  for (const auto& [name, block] : blocks) {
    if (index++ % interval != 0) continue;
    auto wrapper = std::make_shared<CheckpointWrapper>(block);
    wrapper->output_placements = block->output_placements;
    layers->set_child(name, wrapper);
  }
}

}  // namespace ordercheck::ranks
