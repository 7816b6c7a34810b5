#include "ranks/model/layers.h"

#include <stdexcept>

#include <ATen/ATen.h>

namespace ordercheck::ranks {
namespace {

void own_weight(Module& module, at::Tensor weight) {
  std::vector<int64_t> shape = weight.sizes().vec();
  module.set_parameter("weight", make_parameter(std::move(weight), std::move(shape), {}));
}

}  // namespace

at::Tensor ModuleDict::forward(const Tensors&) {
  throw std::runtime_error("a ModuleDict has no forward: its children are called one by one");
}

Linear::Linear(const Numerics& numerics, at::Tensor weight) : Module("Linear"), numerics_(numerics) {
  own_weight(*this, std::move(weight));
}

at::Tensor Linear::forward(const Tensors& inputs) { return linear(numerics_, inputs[0], use("weight")); }

Embedding::Embedding(const Numerics& numerics, at::Tensor weight) : Module("Embedding"), numerics_(numerics) {
  own_weight(*this, std::move(weight));
}

at::Tensor Embedding::forward(const Tensors& inputs) {
  const at::Tensor weight = use("weight");
  std::vector<int64_t> sizes = inputs[0].sizes().vec();
  sizes.push_back(weight.size(1));
  // Backward adds the gradients of equal ids.
  return gradient_terms(numerics_, weight.index_select(0, inputs[0].reshape({-1}))).view(sizes);
}

RMSNorm::RMSNorm(const Numerics& numerics, at::Tensor weight, double epsilon)
    : Module("RMSNorm"), numerics_(numerics), epsilon_(epsilon) {
  own_weight(*this, std::move(weight));
}

at::Tensor RMSNorm::forward(const Tensors& inputs) {
  const at::Tensor& x = inputs[0];
  const at::Tensor mean = sum_terms(numerics_, x * x) / static_cast<double>(x.size(-1));
  const at::Tensor normed = x * broadcast_to(numerics_, at::rsqrt(mean + epsilon_), x);
  return normed * broadcast_to(numerics_, use("weight"), normed);
}

}  // namespace ordercheck::ranks
