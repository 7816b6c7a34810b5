#include "ranks/model/dropout.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

#include "ranks/module/random_state.h"
#include "stack/counter_random.h"

namespace ordercheck::ranks {
namespace {

// What each element is multiplied with. A pure function of its arguments, so that it may be computed again.
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
