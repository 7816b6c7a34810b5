// Elementwise operators with stock kernels that round an element differently in a vector's tail or in a strided tensor. They
// are composed of stable operators or run on whole vectors. sqrt is here too (see steps.h).
#include <cmath>

#include <ATen/CPUFunctions.h>
#include <ATen/EmptyTensor.h>
#include <ATen/ExpandUtils.h>
#include <ATen/native/Activation.h>
#include <ATen/ops/expand_native.h>
#include <ATen/ops/view_native.h>

#include "native/arith/exactness.h"
#include "native/arith/kernel_set.h"
#include "native/arith/snap.h"
#include "native/arith/steps.h"
#include "native/arith/whole_vectors.h"

namespace ordercheck::ranks {

using at::Scalar;
using at::Tensor;

namespace steps {

Tensor root(const Tensor& x) {
  const Tensor in = x.is_non_overlapping_and_dense() ? x : put_in(room_for(x), x);
  Tensor out = at::detail::empty_strided_cpu(in.sizes(), in.strides(), in.options());
  const double* from = in.const_data_ptr<double>();
  double* to = out.mutable_data_ptr<double>();
  for (int64_t i = 0; i < in.numel(); ++i) to[i] = std::sqrt(from[i]);
  return out;
}

namespace {

Tensor one_plus_exp_of_minus(const Tensor& x) {
  Tensor t = at::cpu::neg(x);
  at::cpu::exp_(t);
  return at::cpu::add_(t, number(1));
}

}  // namespace

Tensor sigmoid(const Tensor& x) { return at::cpu::reciprocal(one_plus_exp_of_minus(x)); }

Tensor silu(const Tensor& x) { return steps::div(x, one_plus_exp_of_minus(x)); }

}  // namespace steps

namespace {

constexpr double kSqrtHalf = 0.7071067811865476;       // math.sqrt(0.5)
constexpr double kRootTwoOverPi = 0.7978845608028654;  // math.sqrt(2 / math.pi)

// (1 + erf(x / sqrt(2))) / 2
Tensor normal_cdf(const Tensor& x) { return steps::mul(steps::add(at::cpu::erf(steps::mul(x, kSqrtHalf)), 1), 0.5); }

Tensor tanh_argument(const Tensor& x) {
  return steps::mul(steps::add(x, steps::mul(steps::mul(steps::mul(x, x), x), 0.044715)), kRootTwoOverPi);
}

bool is_erf(c10::string_view approximate) { return at::native::get_gelutype_enum(approximate) == at::native::GeluType::None; }

Tensor exact_gelu(const Tensor& x, c10::string_view approximate) {
  if (is_erf(approximate)) return steps::mul(x, normal_cdf(x));
  return steps::mul(x, steps::mul(steps::add(at::cpu::tanh(tanh_argument(x)), 1), 0.5));
}

Tensor exact_gelu_backward(const Tensor& gradient, const Tensor& x, c10::string_view approximate) {
  if (is_erf(approximate)) {
    const double scale = 1 / std::sqrt(2 * M_PI);
    const Tensor density = steps::mul(at::cpu::exp(steps::mul(steps::mul(x, x), -0.5)), scale);
    return steps::mul(gradient, steps::add(normal_cdf(x), steps::mul(x, density)));
  }
  const Tensor t = at::cpu::tanh(tanh_argument(x));
  const Tensor left = steps::mul(steps::add(t, 1), 0.5);
  const Tensor inner = steps::mul(steps::add(steps::mul(steps::mul(x, x), 3 * 0.044715), 1), kRootTwoOverPi);
  return steps::mul(gradient,
                    steps::add(left, steps::mul(steps::mul(steps::mul(x, 0.5), steps::sub(1, steps::mul(t, t))), inner)));
}

Tensor exact_silu_backward(const Tensor& gradient, const Tensor& x) {
  const Tensor s = steps::sigmoid(x);
  return steps::mul(steps::mul(gradient, s), steps::add(steps::mul(x, steps::sub(1, s)), 1));
}

Tensor as_double(const Tensor& x) {
  if (x.scalar_type() == at::kDouble) return x;
  Tensor cast = at::detail::empty_cpu(x.sizes(), x.options().dtype(at::kDouble));
  return at::native::copy_(cast, x);
}

template <typename Stock>
Tensor on_whole_vectors_of_two(const Tensor& a, const Tensor& b, Stock stock) {
  return on_whole_vectors(as_double(a), as_double(b), stock);
}

// True if exactness is on and the result of the two operands has dtype float64.
bool takes_stable_path_of_two(const Tensor& a, const Tensor& b) {
  return exactness_is_on() && at::result_type(a, b) == at::kDouble;
}

// Defines the kernels of the functional, `out` and in-place form of one operator.
#define ORDERCHECK_UNARY(op, exact)                                                             \
  Tensor op##_kernel(const Tensor& x) { return takes_stable_path(x) ? exact : at::cpu::op(x); } \
  Tensor& op##_out_kernel(const Tensor& x, Tensor& out) {                                       \
    return takes_stable_path(x) ? steps::put(out, exact) : at::cpu::op##_outf(x, out);          \
  }                                                                                             \
  Tensor& op##_in_place_kernel(Tensor& x) { return takes_stable_path(x) ? steps::overwrite(x, exact) : at::cpu::op##_(x); }
ORDERCHECK_UNARY(sigmoid, steps::sigmoid(x))
ORDERCHECK_UNARY(silu, steps::silu(x))
ORDERCHECK_UNARY(sqrt, steps::root(x))
ORDERCHECK_UNARY(exp2, on_whole_vectors(x, [](const Tensor& t) { return at::cpu::exp2(t); }))
ORDERCHECK_UNARY(mish, on_whole_vectors(x, [](const Tensor& t) { return at::cpu::mish(t); }))
#undef ORDERCHECK_UNARY

#define ORDERCHECK_BINARY(op)                                                                                  \
  Tensor exact_##op(const Tensor& a, const Tensor& b) {                                                        \
    return on_whole_vectors_of_two(a, b, [](const Tensor& x, const Tensor& y) { return at::cpu::op(x, y); });  \
  }                                                                                                            \
  Tensor op##_kernel(const Tensor& a, const Tensor& b) {                                                       \
    return takes_stable_path_of_two(a, b) ? exact_##op(a, b) : at::cpu::op(a, b);                              \
  }                                                                                                            \
  Tensor& op##_out_kernel(const Tensor& a, const Tensor& b, Tensor& out) {                                     \
    return takes_stable_path_of_two(a, b) ? steps::put(out, exact_##op(a, b)) : at::cpu::op##_outf(a, b, out); \
  }
ORDERCHECK_BINARY(atan2)
ORDERCHECK_BINARY(hypot)
ORDERCHECK_BINARY(logaddexp)
ORDERCHECK_BINARY(pow)
#undef ORDERCHECK_BINARY

Tensor& atan2_in_place_kernel(Tensor& a, const Tensor& b) {
  return takes_stable_path_of_two(a, b) ? steps::overwrite(a, exact_atan2(a, b)) : at::cpu::atan2_(a, b);
}

Tensor& hypot_in_place_kernel(Tensor& a, const Tensor& b) {
  return takes_stable_path_of_two(a, b) ? steps::overwrite(a, exact_hypot(a, b)) : at::cpu::hypot_(a, b);
}

Tensor& pow_in_place_kernel(Tensor& a, const Tensor& b) {
  return takes_stable_path_of_two(a, b) ? steps::overwrite(a, exact_pow(a, b)) : at::cpu::pow_(a, b);
}

Tensor power_of_number(const Scalar& base, const Tensor& exponent) {
  if (!takes_stable_path(exponent)) return at::cpu::pow(base, exponent);
  return in_rows(exact_pow(steps::number(base.toDouble()), exponent));  // ATen returns a contiguous tensor here
}

Tensor& power_of_number_out(const Scalar& base, const Tensor& exponent, Tensor& out) {
  if (!takes_stable_path(exponent)) return at::cpu::pow_outf(base, exponent, out);
  return steps::put(out, exact_pow(steps::number(base.toDouble()), exponent));
}

Tensor exact_softplus(const Tensor& x, const Scalar& beta, const Scalar& threshold) {
  return on_whole_vectors(x, [&](const Tensor& t) { return at::cpu::softplus(t, beta, threshold); });
}

Tensor softplus(const Tensor& x, const Scalar& beta, const Scalar& threshold) {
  return takes_stable_path(x) ? exact_softplus(x, beta, threshold) : at::cpu::softplus(x, beta, threshold);
}

Tensor& softplus_out(const Tensor& x, const Scalar& beta, const Scalar& threshold, Tensor& out) {
  if (!takes_stable_path(x)) return at::cpu::softplus_outf(x, beta, threshold, out);
  return steps::put(out, exact_softplus(x, beta, threshold));
}

Tensor exact_elu(const Tensor& x, const Scalar& alpha, const Scalar& scale, const Scalar& input_scale) {
  return on_whole_vectors(x, [&](const Tensor& t) { return at::cpu::elu(t, alpha, scale, input_scale); });
}

Tensor elu(const Tensor& x, const Scalar& alpha, const Scalar& scale, const Scalar& input_scale) {
  return takes_stable_path(x) ? exact_elu(x, alpha, scale, input_scale) : at::cpu::elu(x, alpha, scale, input_scale);
}

Tensor& elu_out(const Tensor& x, const Scalar& alpha, const Scalar& scale, const Scalar& input_scale, Tensor& out) {
  if (!takes_stable_path(x)) return at::cpu::elu_outf(x, alpha, scale, input_scale, out);
  return steps::put(out, exact_elu(x, alpha, scale, input_scale));
}

Tensor& elu_in_place(Tensor& x, const Scalar& alpha, const Scalar& scale, const Scalar& input_scale) {
  if (!takes_stable_path(x)) return at::cpu::elu_(x, alpha, scale, input_scale);
  return steps::overwrite(x, exact_elu(x, alpha, scale, input_scale));
}

Tensor exact_elu_backward(const Tensor& gradient, const Scalar& alpha, const Scalar& scale, const Scalar& input_scale,
                          bool is_result, const Tensor& x) {
  return on_whole_vectors(gradient, x, [&](const Tensor& g, const Tensor& t) {
    return at::cpu::elu_backward(g, alpha, scale, input_scale, is_result, t);
  });
}

Tensor elu_backward(const Tensor& gradient, const Scalar& alpha, const Scalar& scale, const Scalar& input_scale, bool is_result,
                    const Tensor& x) {
  if (!takes_stable_path(x)) return at::cpu::elu_backward(gradient, alpha, scale, input_scale, is_result, x);
  return exact_elu_backward(gradient, alpha, scale, input_scale, is_result, x);
}

Tensor& elu_backward_out(const Tensor& gradient, const Scalar& alpha, const Scalar& scale, const Scalar& input_scale,
                         bool is_result, const Tensor& x, Tensor& out) {
  if (!takes_stable_path(x)) return at::cpu::elu_backward_outf(gradient, alpha, scale, input_scale, is_result, x, out);
  return steps::put(out, exact_elu_backward(gradient, alpha, scale, input_scale, is_result, x));
}

Tensor exact_softplus_backward(const Tensor& gradient, const Tensor& x, const Scalar& beta, const Scalar& threshold) {
  return on_whole_vectors(gradient, x,
                          [&](const Tensor& g, const Tensor& t) { return at::cpu::softplus_backward(g, t, beta, threshold); });
}

Tensor softplus_backward(const Tensor& gradient, const Tensor& x, const Scalar& beta, const Scalar& threshold) {
  if (!takes_stable_path(x)) return at::cpu::softplus_backward(gradient, x, beta, threshold);
  return exact_softplus_backward(gradient, x, beta, threshold);
}

Tensor& softplus_backward_out(const Tensor& gradient, const Tensor& x, const Scalar& beta, const Scalar& threshold,
                              Tensor& out) {
  if (!takes_stable_path(x)) return at::cpu::softplus_backward_outf(gradient, x, beta, threshold, out);
  return steps::put(out, exact_softplus_backward(gradient, x, beta, threshold));
}

Tensor mish_backward(const Tensor& gradient, const Tensor& x) {
  if (!takes_stable_path(x)) return at::cpu::mish_backward(gradient, x);
  return on_whole_vectors(gradient, x, [](const Tensor& g, const Tensor& t) { return at::cpu::mish_backward(g, t); });
}

Tensor gelu(const Tensor& x, c10::string_view approximate) {
  return takes_stable_path(x) ? exact_gelu(x, approximate) : at::cpu::gelu(x, approximate);
}

Tensor& gelu_out(const Tensor& x, c10::string_view approximate, Tensor& out) {
  return takes_stable_path(x) ? steps::put(out, exact_gelu(x, approximate)) : at::cpu::gelu_outf(x, approximate, out);
}

Tensor& gelu_in_place(Tensor& x, c10::string_view approximate) {
  return takes_stable_path(x) ? steps::overwrite(x, exact_gelu(x, approximate)) : at::cpu::gelu_(x, approximate);
}

Tensor gelu_backward(const Tensor& gradient, const Tensor& x, c10::string_view approximate) {
  return takes_stable_path(x) ? exact_gelu_backward(gradient, x, approximate)
                              : at::cpu::gelu_backward(gradient, x, approximate);
}

Tensor& gelu_backward_out(const Tensor& gradient, const Tensor& x, c10::string_view approximate, Tensor& out) {
  if (!takes_stable_path(x)) return at::cpu::gelu_backward_outf(gradient, x, approximate, out);
  return steps::put(out, exact_gelu_backward(gradient, x, approximate));
}

Tensor silu_backward(const Tensor& gradient, const Tensor& x) {
  return takes_stable_path(x) ? exact_silu_backward(gradient, x) : at::cpu::silu_backward(gradient, x);
}

Tensor& silu_backward_out(const Tensor& gradient, const Tensor& x, Tensor& out) {
  return takes_stable_path(x) ? steps::put(out, exact_silu_backward(gradient, x))
                              : at::cpu::silu_backward_outf(gradient, x, out);
}

// Complex product by real arithmetic, one rounding per step: the stock kernel rounds the last complex number of a vector loop
// differently.
Tensor exact_complex_product(const Tensor& a, const Tensor& b) {
  const std::vector<int64_t> sizes = at::infer_size(a.sizes(), b.sizes());
  const Tensor x = in_rows(at::native::expand(a, sizes, false)), y = in_rows(at::native::expand(b, sizes, false));
  Tensor out = at::detail::empty_cpu(sizes, a.options());
  const double* p = reinterpret_cast<const double*>(x.const_data_ptr());
  const double* q = reinterpret_cast<const double*>(y.const_data_ptr());
  double* to = reinterpret_cast<double*>(out.mutable_data_ptr());
  for (int64_t i = 0; i < 2 * out.numel(); i += 2) {
    to[i] = p[i] * q[i] - p[i + 1] * q[i + 1];
    to[i + 1] = p[i] * q[i + 1] + p[i + 1] * q[i];
  }
  return out;
}

bool is_complex_product(const Tensor& a, const Tensor& b) {
  return a.scalar_type() == at::kComplexDouble && b.scalar_type() == at::kComplexDouble && exactness_is_on();
}

Tensor mul_kernel(const Tensor& a, const Tensor& b) {
  Tensor out = at::cpu::mul(a, b);
  // Write into the stock kernel's result, because its strides depend on both operands.
  return is_complex_product(a, b) ? steps::overwrite(out, exact_complex_product(a, b)) : out;
}

Tensor& mul_out_kernel(const Tensor& a, const Tensor& b, Tensor& out) {
  return is_complex_product(a, b) ? steps::put(out, exact_complex_product(a, b)) : at::cpu::mul_outf(a, b, out);
}

Tensor& mul_in_place_kernel(Tensor& a, const Tensor& b) {
  return is_complex_product(a, b) ? steps::overwrite(a, exact_complex_product(a, b)) : at::cpu::mul_(a, b);
}

}  // namespace

void add_elementwise(KernelSet& kernels) {
  kernels.add("sigmoid", TORCH_FN(sigmoid_kernel));
  kernels.add("sigmoid.out", TORCH_FN(sigmoid_out_kernel));
  kernels.add("sigmoid_", TORCH_FN(sigmoid_in_place_kernel));
  kernels.add("silu", TORCH_FN(silu_kernel));
  kernels.add("silu.out", TORCH_FN(silu_out_kernel));
  kernels.add("silu_", TORCH_FN(silu_in_place_kernel));
  kernels.add("silu_backward", TORCH_FN(silu_backward));
  kernels.add("silu_backward.grad_input", TORCH_FN(silu_backward_out));
  kernels.add("gelu", TORCH_FN(gelu));
  kernels.add("gelu.out", TORCH_FN(gelu_out));
  kernels.add("gelu_", TORCH_FN(gelu_in_place));
  kernels.add("gelu_backward", TORCH_FN(gelu_backward));
  kernels.add("gelu_backward.grad_input", TORCH_FN(gelu_backward_out));
  kernels.add("softplus", TORCH_FN(softplus));
  kernels.add("softplus.out", TORCH_FN(softplus_out));
  kernels.add("exp2", TORCH_FN(exp2_kernel));
  kernels.add("exp2.out", TORCH_FN(exp2_out_kernel));
  kernels.add("exp2_", TORCH_FN(exp2_in_place_kernel));
  kernels.add("mish", TORCH_FN(mish_kernel));
  kernels.add("mish.out", TORCH_FN(mish_out_kernel));
  kernels.add("mish_", TORCH_FN(mish_in_place_kernel));
  kernels.add("elu", TORCH_FN(elu));
  kernels.add("elu.out", TORCH_FN(elu_out));
  kernels.add("elu_", TORCH_FN(elu_in_place));
  kernels.add("elu_backward", TORCH_FN(elu_backward));
  kernels.add("elu_backward.grad_input", TORCH_FN(elu_backward_out));
  kernels.add("softplus_backward", TORCH_FN(softplus_backward));
  kernels.add("softplus_backward.grad_input", TORCH_FN(softplus_backward_out));
  kernels.add("mish_backward", TORCH_FN(mish_backward));
  kernels.add("pow.Tensor_Tensor", TORCH_FN(pow_kernel));
  kernels.add("pow.Tensor_Tensor_out", TORCH_FN(pow_out_kernel));
  kernels.add("pow_.Tensor", TORCH_FN(pow_in_place_kernel));
  kernels.add("pow.Scalar", TORCH_FN(power_of_number));
  kernels.add("pow.Scalar_out", TORCH_FN(power_of_number_out));
  kernels.add("atan2", TORCH_FN(atan2_kernel));
  kernels.add("atan2.out", TORCH_FN(atan2_out_kernel));
  kernels.add("atan2_", TORCH_FN(atan2_in_place_kernel));
  kernels.add("hypot", TORCH_FN(hypot_kernel));
  kernels.add("hypot.out", TORCH_FN(hypot_out_kernel));
  kernels.add("hypot_", TORCH_FN(hypot_in_place_kernel));
  kernels.add("logaddexp", TORCH_FN(logaddexp_kernel));
  kernels.add("logaddexp.out", TORCH_FN(logaddexp_out_kernel));
  kernels.add("mul.Tensor", TORCH_FN(mul_kernel));
  kernels.add("mul.out", TORCH_FN(mul_out_kernel));
  kernels.add("mul_.Tensor", TORCH_FN(mul_in_place_kernel));
  kernels.add("sqrt", TORCH_FN(sqrt_kernel));
  kernels.add("sqrt.out", TORCH_FN(sqrt_out_kernel));
  kernels.add("sqrt_", TORCH_FN(sqrt_in_place_kernel));
}

}  // namespace ordercheck::ranks
