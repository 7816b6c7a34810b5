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

Linear::Linear(at::Tensor weight) : ModuleOf("Linear") { own_weight(*this, std::move(weight)); }

at::Tensor Linear::forward(const Tensors& inputs) { return at::linear(inputs[0], use("weight")); }

Embedding::Embedding(at::Tensor weight) : ModuleOf("Embedding") { own_weight(*this, std::move(weight)); }

at::Tensor Embedding::forward(const Tensors& inputs) { return at::embedding(use("weight"), inputs[0]); }

RMSNorm::RMSNorm(at::Tensor weight, double epsilon) : ModuleOf("RMSNorm"), epsilon_(epsilon) {
  own_weight(*this, std::move(weight));
}

at::Tensor RMSNorm::forward(const Tensors& inputs) {
  const at::Tensor& x = inputs[0];
  return at::rms_norm(x, {x.size(-1)}, use("weight"), epsilon_);
}

}  // namespace ordercheck::ranks
