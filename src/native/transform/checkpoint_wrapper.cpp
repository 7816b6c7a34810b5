#include "native/transform/checkpoint_wrapper.h"

#include <memory>

#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include "native/graph/autocast.h"
#include "native/graph/recorder.h"
#include "native/module/random_state.h"
#include "native/module/recompute_scope.h"
#include "native/transform/sharded_blocks.h"

namespace ordercheck::ranks {
namespace {

constexpr const char* kWrapped = "_checkpoint_wrapped_module";  // torch's name

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
    // While a graph is recorded, use the non-reentrant kind: a capture cannot record the inner backward. torch.compile too
    // traces both kinds as non-reentrant.
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
  const auto blocks = layers->children();  // a copy: the loop modifies the original
  for (const auto& [name, block] : blocks) {
    if (index++ % interval != 0) continue;
    layers->set_child(name, std::make_shared<CheckpointWrapper>(block, options));
  }
}

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct HeldRegion : torch::CustomClassHolder {
  Region region;
  Autocast autocast;
  std::optional<RandomState> random;
  std::vector<bool> require_grad;
};

struct Reentrant : torch::autograd::Function<Reentrant> {
  static at::Tensor forward(AutogradContext* context, const c10::intrusive_ptr<HeldRegion>& held,
                            const at::TensorList& inputs) {
    const variable_list own(inputs.begin(), inputs.end());
    for (const at::Tensor& input : own) held->require_grad.push_back(input.requires_grad());
    context->saved_data["held"] = c10::IValue::make_capsule(held);
    context->save_for_backward(own);
    return held->region(own);  // forward of an autograd function runs without autograd
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto held = c10::static_intrusive_pointer_cast<HeldRegion>(context->saved_data["held"].toCapsule());
    variable_list inputs = context->get_saved_variables();
    for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] = inputs[i].detach().set_requires_grad(held->require_grad[i]);
    at::Tensor output;
    {
      const RecomputeScope phase;
      const at::AutoGradMode grad(true);
      const AutocastScope cast(held->autocast);
      const RandomScope drawing(held->random);
      output = held->region(inputs);
    }
    torch::autograd::backward({output}, {gradients[0]});
    variable_list out{at::Tensor()};
    for (const at::Tensor& input : inputs) out.push_back(input.grad());
    return out;
  }
};

}  // namespace

at::Tensor recompute_reentrantly(Region region, const Tensors& inputs, bool preserve_random_state) {
  const auto held = c10::make_intrusive<HeldRegion>();
  held->region = std::move(region);
  held->autocast = autocast_now();
  if (preserve_random_state) held->random = random_state_now();
  return Reentrant::apply(held, at::TensorList(inputs));
}

}  // namespace ordercheck::ranks
