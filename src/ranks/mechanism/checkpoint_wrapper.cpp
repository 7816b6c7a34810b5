#include "ranks/mechanism/checkpoint_wrapper.h"

#include "ranks/graph/recorder.h"
#include "ranks/mechanism/blocks.h"
#include "ranks/mechanism/reentrant.h"

namespace ordercheck::ranks {
namespace {

constexpr const char* kWrapped = "_checkpoint_wrapped_module";  // torch's name for it

class CheckpointWrapper final : public ModuleOf<CheckpointWrapper> {
 public:
  CheckpointWrapper(ModulePtr wrapped, RecomputeOptions options) : ModuleOf("CheckpointWrapper"), options_(std::move(options)) {
    output_placements = wrapped->output_placements;
    set_child(kWrapped, std::move(wrapped));
  }
  bool is_wrapper() const override { return true; }

 protected:
  at::Tensor forward(const Tensors& inputs) override {
    const ModulePtr wrapped = child(kWrapped);
    const Region region = [wrapped](const Tensors& again) { return wrapped->call(again); };
    // A capture would not see a backward within the backward: as torch.compile, which traces either kind as non-reentrant.
    return options_.reentrant && !is_recording() ? recompute_reentrantly(region, inputs, options_.preserve_random_state)
                                                 : recompute_in_backward(region, inputs, options_);
  }

 private:
  RecomputeOptions options_;
};

}  // namespace

void checkpoint_blocks(const ModulePtr& model, int interval, const RecomputeOptions& options) {
  const ModulePtr layers = layers_of(model);
  int index = 0;
  const auto blocks = layers->children();  // a copy: the loop changes what it walks
  for (const auto& [name, block] : blocks) {
    if (index++ % interval != 0) continue;
    layers->set_child(name, std::make_shared<CheckpointWrapper>(block, options));
  }
}

}  // namespace ordercheck::ranks
