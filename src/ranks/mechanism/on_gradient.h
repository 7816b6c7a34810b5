// Calls when a leaf's gradient is complete for a backward, at the two places where PyTorch has them:
//
//   on_gradient          hangs on the leaf, as Tensor.register_post_accumulate_grad_hook
//   behind_accumulation  hangs on the node that accumulates, as the hooks of DistributedDataParallel's Reducer: autograd gets
//                        there after all calls of the leaf, whichever were asked for first
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

// A leaf has as many calls as were asked for, and they run in that order.
inline void on_gradient(const at::Tensor& leaf, std::function<void()> then) {
  auto& hook = torch::autograd::impl::post_acc_grad_hooks(leaf);
  if (!hook) torch::autograd::impl::set_post_acc_grad_hooks(leaf, std::make_unique<OnGradient>());
  static_cast<OnGradient&>(*hook).add(std::move(then));
}

// What hangs on a leaf whose gradient no autograd accumulates, because it is put there: as FSDP2 calls the hooks of a sharded
// parameter when it has reduced its gradient.
inline void call_on_gradient(const at::Tensor& leaf) {
  if (const auto& hook = torch::autograd::impl::post_acc_grad_hooks(leaf)) (*hook)(leaf);
}

// The node, without which the call is gone: the leaf does not hold it.
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
