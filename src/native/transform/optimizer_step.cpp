#include "native/transform/optimizer_step.h"

#include <algorithm>
#include <map>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "native/arith/parameters.h"
#include "native/module/rank.h"
#include "native/transform/on_gradient.h"
#include "native/world/collectives.h"

namespace ordercheck::ranks {
namespace {

std::vector<std::string> sharding_axes(const Parameter& parameter) {
  std::vector<std::string> axes;
  for (const Placement& placement : parameter.placements)
    if (placement.kind != Placement::Kind::replicate) axes.push_back(placement.axis);
  return axes;
}

}  // namespace

Optimizer::Optimizer(OptimizerOptions options, Mesh mesh, std::vector<ParameterPtr> parameters)
    : options_(options), mesh_(mesh), parameters_(std::move(parameters)), states_(parameters_.size()) {}

void Optimizer::step_in_backward(const std::shared_ptr<Optimizer>& optimizer) {
  optimizer->steps_in_backward_ = true;
  for (std::size_t i = 0; i < optimizer->parameters_.size(); ++i) {
    const at::Tensor& leaf = optimizer->parameters_[i]->tensor;
    if (!leaf.requires_grad()) continue;
    // Weak: the optimizer owns the parameter that owns this hook.
    on_gradient(leaf, [alive = std::weak_ptr(optimizer), i] {
      const auto self = alive.lock();
      if (!self) return;
      const at::NoGradGuard no_grad;
      const at::Tensor& parameter = self->parameters_[i]->tensor;
      if (RankState* rank = find_rank(); rank && rank->on_step_in_backward)
        rank->on_step_in_backward(*self->parameters_[i], parameter.grad());
      self->update({i}, {parameter.grad() / self->loss_scale});
      parameter.mutable_grad().reset();
    });
  }
}

// As torch.nn.utils.clip_grad_norm_: the norm of each gradient, then the norm of these norms. Gradients sharded over the same
// axes are combined first, and the square of their norm is all-reduced over these axes.
double Optimizer::gradient_norm(const GradientOf& gradient_of) const {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> gradients;
  std::vector<std::vector<std::string>> sharded_over;
  for (const ParameterPtr& parameter : parameters_) {
    const at::Tensor gradient = gradient_of ? gradient_of(*parameter) : parameter->tensor.grad();
    if (!gradient.defined()) continue;
    gradients.push_back(gradient / loss_scale);
    sharded_over.push_back(sharding_axes(*parameter));
  }
  const std::vector<at::Tensor> norms = gradients.empty() ? gradients : at::_foreach_norm(gradients, 2);
  // A sorted map: every rank visits the same sets of axes in the same order.
  std::map<std::vector<std::string>, std::vector<at::Tensor>> by_axes;
  for (std::size_t i = 0; i < norms.size(); ++i) by_axes[sharded_over[i]].push_back(norms[i]);
  at::Tensor total = at::zeros({}, norms.empty() ? at::TensorOptions(at::kDouble).device(device_now()) : norms[0].options());
  for (const auto& [axes, of_these] : by_axes) {
    at::Tensor squares = at::pow(at::linalg_vector_norm(at::stack(of_these), 2), 2).reshape({1});
    for (const std::string& axis : axes) squares = all_reduce(squares, axis);
    total = total + squares.reshape({});
  }
  // Each pipeline stage has its own parameters.
  if (degree_of(mesh_, "pp") > 1) total = all_reduce(total.reshape({1}), "pp");
  return at::sqrt(total).item<double>();
}

void Optimizer::step(double norm) {
  if (steps_in_backward_) return;
  const at::NoGradGuard no_grad;
  // As torch.nn.utils.clip_grad_norm_: clamp the coefficient to 1 without a branch.
  const double coefficient = options_.clip > 0 ? std::min(1.0, options_.clip / (norm + 1e-6)) : 1.0;
  std::vector<std::size_t> indices;
  std::vector<at::Tensor> gradients;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const at::Tensor& gradient = parameters_[i]->tensor.grad();
    if (!gradient.defined()) continue;
    indices.push_back(i);
    gradients.push_back(gradient / loss_scale * coefficient);
  }
  if (!indices.empty()) update(indices, gradients);  // the fused operator needs a tensor to dispatch on a device
}

void Optimizer::update(const std::vector<std::size_t>& indices, const std::vector<at::Tensor>& gradients) {
  if (options_.adamw) {
    update_adamw(indices, gradients);
  } else {
    update_sgd(indices, gradients);
  }
  for (const std::size_t i : indices) put_on_grid(parameters_[i]->tensor.detach());
}

void Optimizer::update_sgd(const std::vector<std::size_t>& indices, const std::vector<at::Tensor>& gradients) {
  for (std::size_t i = 0; i < indices.size(); ++i) {
    parameters_[indices[i]]->tensor.detach().sub_(gradients[i] * options_.learning_rate);
  }
}

void Optimizer::update_adamw(const std::vector<std::size_t>& indices, const std::vector<at::Tensor>& gradients) {
  std::vector<at::Tensor> values, first_moments, second_moments, steps;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    State& state = states_[indices[i]];
    if (!state.steps.defined()) {
      state = {.first_moment = at::zeros_like(gradients[i]),
               .second_moment = at::zeros_like(gradients[i]),
               .steps = at::zeros({}, gradients[i].options().dtype(at::kFloat))};
    }
    state.steps.add_(1);
    values.push_back(parameters_[indices[i]]->tensor.detach());
    first_moments.push_back(state.first_moment);
    second_moments.push_back(state.second_moment);
    steps.push_back(state.steps);
  }
  at::_fused_adamw_(values, gradients, first_moments, second_moments, /*max_exp_avg_sqs=*/{}, steps, options_.learning_rate,
                    options_.beta1, options_.beta2, options_.weight_decay, options_.epsilon, /*amsgrad=*/false,
                    /*maximize=*/false);
}

void Optimizer::clear_gradients() {
  if (steps_in_backward_) return;
  for (const ParameterPtr& parameter : parameters_) parameter->tensor.mutable_grad().reset();
}

}  // namespace ordercheck::ranks
