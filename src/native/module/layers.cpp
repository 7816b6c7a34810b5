#include "native/module/layers.h"

#include <cmath>
#include <stdexcept>

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty.h>
#include <torch/library.h>

#include "native/arith/parameters.h"
#include "native/module/random_state.h"
#include "stack/counter_random.h"

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

at::Tensor initial_value(std::uint64_t seed, const std::string& name, at::IntArrayRef shape, double center, double scale,
                         at::ScalarType dtype) {
  at::Tensor value = at::empty(shape, at::kDouble);
  double* data = value.mutable_data_ptr<double>();
  const std::uint64_t stream = key(name);
  for (int64_t i = 0; i < value.numel(); ++i) {
    data[i] = center + scale * (2 * unit(draw(seed, stream, static_cast<std::uint64_t>(i))) - 1);
  }
  at::Tensor parameter = value.to(dtype);
  put_on_grid(parameter);
  return parameter;
}

at::Tensor initial_parameter(std::uint64_t seed, const std::string& name, at::IntArrayRef shape, at::ScalarType dtype) {
  if (shape.size() == 1) return initial_value(seed, name, shape, 1, 0.25, dtype);
  return initial_value(seed, name, shape, 0, std::sqrt(3.0 / static_cast<double>(shape.back())), dtype);
}

namespace {

// Returns the factors that dropout multiplies each element by: 0 or 1 / (1 - p). A pure function of its arguments, so that a
// recomputed forward drops the same elements.
at::Tensor factors_kernel(const at::Tensor& seeds, const at::Tensor& positions, int64_t features, double p,
                          at::ScalarType dtype) {
  const int64_t samples = seeds.numel(), sequence = positions.numel();
  const at::Tensor of = seeds.to(at::kCPU).contiguous(), at = positions.to(at::kCPU).contiguous();
  at::Tensor factors = at::empty({samples, sequence, features}, at::kDouble);
  auto* next = factors.mutable_data_ptr<double>();
  for (int64_t sample = 0; sample < samples; ++sample)
    for (int64_t row = 0; row < sequence; ++row)
      for (int64_t feature = 0; feature < features; ++feature) {
        const auto key =
            draw(static_cast<std::uint64_t>(of.const_data_ptr<int64_t>()[sample]), at.const_data_ptr<int64_t>()[row], feature);
        *next++ = unit(key) < p ? 0.0 : 1 / (1 - p);
      }
  return factors.to(seeds.device(), dtype);
}

TORCH_LIBRARY_FRAGMENT(ordercheck, library) {
  library.def("dropout_factors(Tensor seeds, Tensor positions, int features, float p, ScalarType dtype) -> Tensor");
}
TORCH_LIBRARY_IMPL(ordercheck, CompositeExplicitAutograd, library) { library.impl("dropout_factors", factors_kernel); }

}  // namespace

at::Tensor Dropout::forward(const Tensors& inputs) {
  static const auto factors = c10::Dispatcher::singleton()
                                  .findSchemaOrThrow("ordercheck::dropout_factors", "")
                                  .typed<at::Tensor(const at::Tensor&, const at::Tensor&, int64_t, double, at::ScalarType)>();
  const at::Tensor& x = inputs[0];
  return x * factors.call(draw_seeds(plain_path()), inputs[1].narrow(0, 0, x.size(1)), x.size(2), p_, x.scalar_type());
}

}  // namespace ordercheck::ranks
