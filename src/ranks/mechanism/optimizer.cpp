#include "ranks/mechanism/optimizer.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "ranks/comm/collectives.h"

namespace ordercheck::ranks {
namespace {

std::vector<std::string> sharding_axes(const Parameter& parameter) {
  std::vector<std::string> axes;
  for (const Placement& placement : parameter.placements) axes.push_back(placement.axis);
  return axes;
}

std::vector<std::string> axes_in_use(const Mesh& mesh) {
  std::vector<std::string> axes;
  for (const std::string_view axis : kMeshAxes) {
    if (degree_of(mesh, axis) > 1) axes.emplace_back(axis);
  }
  return axes;
}

template <typename T>
void take_roots(const at::Tensor& x, at::Tensor& roots) {
  const T* in = x.const_data_ptr<T>();
  T* out = roots.mutable_data_ptr<T>();
  for (int64_t i = 0; i < x.numel(); ++i) out[i] = std::sqrt(in[i]);
}

// IEEE 754 rounds a square root correctly, and so does std::sqrt. at::sqrt asks MKL's vector library, which on some
// processors is off by one bit in a hundredth of all numbers: a record would have another digest on another machine.
at::Tensor square_root(const at::Tensor& tensor) {
  const at::Tensor x = tensor.contiguous();
  at::Tensor roots = at::empty_like(x);
  if (x.scalar_type() == at::kDouble) {
    take_roots<double>(x, roots);
  } else {
    TORCH_CHECK(x.scalar_type() == at::kFloat, "square_root: expected float64 or float32, got ", x.scalar_type());
    take_roots<float>(x, roots);
  }
  return roots;
}

}  // namespace

Optimizer::Optimizer(OptimizerOptions options, Numerics numerics, Mesh mesh, std::vector<ParameterPtr> parameters)
    : options_(options), numerics_(numerics), mesh_(mesh), parameters_(std::move(parameters)), states_(parameters_.size()) {}

double Optimizer::gradient_norm(double gradient_scale) const {
  const at::NoGradGuard no_grad;
  // Every rank meets the same sets of axes in the same order, whatever it holds of them.
  std::map<std::vector<std::string>, at::Tensor> squares;
  for (const ParameterPtr& parameter : parameters_) {
    const at::Tensor& gradient = parameter->tensor.grad();
    if (!gradient.defined()) continue;
    const auto axes = count_replicas && parameter->placements.empty() ? axes_in_use(mesh_) : sharding_axes(*parameter);
    const at::Tensor sum = sum_of_squares(numerics_, gradient / gradient_scale);
    const auto entry = squares.find(axes);
    if (entry == squares.end()) {
      squares.emplace(axes, sum);
    } else {
      entry->second = entry->second + sum;
    }
  }
  double total = 0;
  for (auto& [axes, sum] : squares) {
    at::Tensor all = sum.reshape({1});
    for (const std::string& axis : axes) all = all_reduce(all, axis);
    total += all.item<double>();
  }
  return std::sqrt(total);
}

void Optimizer::step(double gradient_scale, double norm) {
  const at::NoGradGuard no_grad;
  // Not std::pow, whose last bit is the C library's own.
  beta1_power_ *= options_.beta1;
  beta2_power_ *= options_.beta2;
  // torch.nn.utils.clip_grad_norm_: the coefficient is clamped to 1, never a branch.
  const double coefficient = options_.clip > 0 ? std::min(1.0, options_.clip / (norm + 1e-6)) : 1.0;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const at::Tensor& gradient = parameters_[i]->tensor.grad();
    if (gradient.defined()) update(i, gradient / gradient_scale * coefficient);
  }
}

// Elementwise throughout, so that a piece is updated as the whole would be. AdamW as in torch.optim, written out.
void Optimizer::update(std::size_t index, const at::Tensor& gradient) {
  at::Tensor value = parameters_[index]->tensor.detach();
  if (!options_.adamw) {
    value.sub_(gradient * options_.learning_rate);
    return;
  }
  State& state = states_[index];
  if (!state.first_moment.defined()) {
    state.first_moment = at::zeros_like(gradient);
    state.second_moment = at::zeros_like(gradient);
  }
  state.first_moment = state.first_moment * options_.beta1 + gradient * (1 - options_.beta1);
  state.second_moment = state.second_moment * options_.beta2 + gradient * gradient * (1 - options_.beta2);
  const at::Tensor first = state.first_moment / (1 - beta1_power_);
  const at::Tensor second = state.second_moment / (1 - beta2_power_);
  value.mul_(1 - options_.learning_rate * options_.weight_decay);
  value.sub_(first / (square_root(second) + options_.epsilon) * options_.learning_rate);
}

void Optimizer::clear_gradients() {
  for (const ParameterPtr& parameter : parameters_) parameter->tensor.mutable_grad().reset();
}

}  // namespace ordercheck::ranks
