#include "ranks/arith/snap.h"

#include <cmath>
#include <limits>

#include <ATen/ops/empty_like.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "ranks/arith/range.h"

namespace ordercheck::ranks {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// One pass that also finds the largest magnitude, which the grid must hold. A maximum would drop what is not a number, so
// numbers are counted: with one missing, `largest` is none either.
void round_to_grid(const double* in, double* out, int64_t count, double c, double& largest) {
  double top = 0;
  int64_t numbers = 0;
#pragma omp simd reduction(max : top) reduction(+ : numbers)
  for (int64_t i = 0; i < count; ++i) {
    out[i] = (in[i] + c) - c;
    const double magnitude = std::fabs(in[i]);
    top = magnitude > top ? magnitude : top;
    numbers += in[i] == in[i];
  }
  largest = numbers == count ? top : std::numeric_limits<double>::quiet_NaN();
}

at::Tensor snap_cpu(const at::Tensor& x, int64_t bits) {
  TORCH_CHECK(x.scalar_type() == at::kDouble, "snap: expected float64, got ", x.scalar_type());
  const at::Tensor in = x.contiguous();
  at::Tensor out = at::empty_like(in);
  double largest = 0;
  round_to_grid(in.const_data_ptr<double>(), out.mutable_data_ptr<double>(), in.numel(),
                1.5 * std::ldexp(1.0, 52 - static_cast<int>(bits)), largest);
  if (!(largest < std::ldexp(1.0, 51 - static_cast<int>(bits)))) {
    leave_range(fmt::format("exact arithmetic left its range: |x| = {:.3g} does not fit the grid 2^-{}", largest, bits));
  }
  return out;
}

const c10::TypedOperatorHandle<at::Tensor(const at::Tensor&, int64_t)>& snap_operator() {
  static const auto op =
      c10::Dispatcher::singleton().findSchemaOrThrow("ordercheck::snap", "").typed<at::Tensor(const at::Tensor&, int64_t)>();
  return op;
}

struct Snap : torch::autograd::Function<Snap> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, int64_t forward_bits, int64_t backward_bits) {
    ctx->saved_data["bits"] = backward_bits;
    return forward_bits ? rounded(x, forward_bits) : x.view_as(x);
  }
  static variable_list backward(AutogradContext* ctx, variable_list gradient) {
    const int64_t bits = ctx->saved_data["bits"].toInt();
    return {bits ? rounded(gradient[0], bits) : gradient[0], at::Tensor(), at::Tensor()};
  }
};

}  // namespace

TORCH_LIBRARY(ordercheck, library) { library.def("snap(Tensor x, int bits) -> Tensor"); }
TORCH_LIBRARY_IMPL(ordercheck, CPU, library) { library.impl("snap", snap_cpu); }
// The formula above is the gradient; the operator itself has none to find.
TORCH_LIBRARY_IMPL(ordercheck, Autograd, library) { library.impl("snap", torch::CppFunction::makeFallthrough()); }

at::Tensor rounded(const at::Tensor& x, int64_t bits) { return snap_operator().call(x, bits); }

at::Tensor snap(const at::Tensor& x, int64_t forward_bits, int64_t backward_bits) {
  if (!forward_bits && !backward_bits) return x;
  return Snap::apply(x, forward_bits, backward_bits);
}

}  // namespace ordercheck::ranks
