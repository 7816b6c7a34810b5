// A call when a leaf's gradient is complete for a backward: what FSDP's and DDP's reductions hang on.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/variable.h>

namespace ordercheck::ranks {

class OnGradient final : public torch::autograd::PostAccumulateGradHook {
 public:
  explicit OnGradient(std::function<void()> then) : then_(std::move(then)) {}
  void operator()(const at::Tensor&) override { then_(); }

 private:
  std::function<void()> then_;
};

// A leaf has one such call: the last one asked for.
inline void on_gradient(const at::Tensor& leaf, std::function<void()> then) {
  torch::autograd::impl::set_post_acc_grad_hooks(leaf, std::make_unique<OnGradient>(std::move(then)));
}

}  // namespace ordercheck::ranks
