// Calls back when a leaf's gradient is complete for a backward, at PyTorch's two hook points:
//
//   on_gradient          on the leaf, as Tensor.register_post_accumulate_grad_hook
//   behind_accumulation  on the node that accumulates, as DistributedDataParallel's Reducer: runs after all hooks of the leaf,
//                        regardless of registration order
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/utils/lambda_post_hook.h>
#include <torch/csrc/autograd/variable.h>

namespace ordercheck::ranks {

class OnGradient final : public torch::autograd::PostAccumulateGradHook {
 public:
  void operator()(const at::Tensor&) override {
    for (const auto& then : calls_) then();
  }
  void add(std::function<void()> then) { calls_.push_back(std::move(then)); }

 private:
  std::vector<std::function<void()>> calls_;
};

// Calls `then` after each accumulation into the leaf's .grad. A leaf can have several such calls; they run in registration
// order.
inline void on_gradient(const at::Tensor& leaf, std::function<void()> then) {
  auto& hook = torch::autograd::impl::post_acc_grad_hooks(leaf);
  if (!hook) torch::autograd::impl::set_post_acc_grad_hooks(leaf, std::make_unique<OnGradient>());
  static_cast<OnGradient&>(*hook).add(std::move(then));
}

// Runs a leaf's hooks after its gradient was assigned without autograd, as FSDP2 does for a sharded parameter after reducing
// its gradient.
inline void call_on_gradient(const at::Tensor& leaf) {
  if (const auto& hook = torch::autograd::impl::post_acc_grad_hooks(leaf)) (*hook)(leaf);
}

// Calls `then` after all of the leaf's post-accumulate hooks. Keep the returned AccumulateGrad node: the leaf does not own it,
// and the hook dies with it.
inline std::shared_ptr<torch::autograd::Node> behind_accumulation(const at::Tensor& leaf, std::function<void()> then) {
  auto node = torch::autograd::impl::grad_accumulator(leaf);
  node->add_post_hook(std::make_unique<torch::autograd::utils::LambdaPostHook>(
      [then = std::move(then)](const torch::autograd::variable_list& outputs, const torch::autograd::variable_list&) {
        then();
        return outputs;
      }));
  return node;
}

}  // namespace ordercheck::ranks
