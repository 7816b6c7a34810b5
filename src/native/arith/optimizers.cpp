// Exact fused AdamW: elementwise, one rounding per step, so that a shard updates as the whole would. Also the clipping factor.
#include <cmath>

#include <ATen/CPUFunctions.h>
#include <ATen/ops/copy_native.h>

#include "native/arith/exactness.h"
#include "native/arith/kernel_set.h"
#include "native/arith/snap.h"
#include "native/arith/steps.h"

namespace ordercheck::ranks {
namespace {

using at::Tensor;
using at::TensorList;
using Optional = std::optional<Tensor>;

constexpr const char* kOperator = "aten::_fused_adamw_";

struct Adamw {
  double lr, beta1, beta2, weight_decay, eps;
  bool maximize;
};

// base^exponent by multiplications. std::pow is not portable: its last bit depends on the C library.
double power(double base, int64_t exponent) {
  double product = 1;
  for (int64_t i = 0; i < exponent; ++i) product *= base;
  return product;
}

void update(const Adamw& a, int64_t step, int64_t count, double* value, const double* gradient, double* first, double* second) {
  const double decay = 1 - a.lr * a.weight_decay;
  const double debias2 = 1 - power(a.beta2, step);
  const double rate = a.lr / (1 - power(a.beta1, step));
  // The order of these operations is part of the contract (kernel_set.h).
  for (int64_t i = 0; i < count; ++i) {
    const double g = a.maximize ? -gradient[i] : gradient[i];
    first[i] = first[i] * a.beta1 + g * (1 - a.beta1);
    second[i] = second[i] * a.beta2 + (g * g) * (1 - a.beta2);
    value[i] = value[i] * decay - first[i] / (std::sqrt(second[i] / debias2) + a.eps) * rate;
  }
}

double number_in(const Tensor& tensor) {
  TORCH_CHECK(tensor.numel() == 1, kOperator, ": expected one number, got ", tensor.numel());
  switch (tensor.scalar_type()) {
    case at::kFloat: return *tensor.const_data_ptr<float>();
    case at::kDouble: return *tensor.const_data_ptr<double>();
    default: return static_cast<double>(*tensor.const_data_ptr<int64_t>());
  }
}

// Gives contiguous access to a parameter, gradient or optimizer state. If it had to copy, the destructor writes the copy back.
class InRows {
 public:
  explicit InRows(const Tensor& tensor) : tensor_(tensor), rows_(in_rows(tensor)) {}
  ~InRows() {
    if (!rows_.is_same(tensor_)) at::native::copy_(tensor_, rows_);
  }
  InRows(const InRows&) = delete;
  double* data() { return rows_.mutable_data_ptr<double>(); }

 private:
  Tensor tensor_, rows_;
};

bool updates_exactly(TensorList values, bool amsgrad, const Optional& grad_scale, const Optional& found_inf) {
  bool exact = exactness_is_on();
  for (const Tensor& value : values) exact = takes_exact_path(kOperator, value) && exact;
  if (!exact) return false;
  if (amsgrad) refuse_exact(kOperator, "with amsgrad");
  if (grad_scale || found_inf) refuse_exact(kOperator, "with a gradient scaler");
  return true;
}

void update_all(const Adamw& adamw, TensorList values, TensorList gradients, TensorList firsts, TensorList seconds,
                TensorList steps) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    InRows value(values[i]), first(firsts[i]), second(seconds[i]);
    const Tensor gradient = in_rows(gradients[i]);
    update(adamw, static_cast<int64_t>(number_in(steps[i])), values[i].numel(), value.data(), gradient.const_data_ptr<double>(),
           first.data(), second.data());
  }
}

void fused_adamw(TensorList values, TensorList gradients, TensorList firsts, TensorList seconds, TensorList largest,
                 TensorList steps, double lr, double beta1, double beta2, double weight_decay, double eps, bool amsgrad,
                 bool maximize, const Optional& grad_scale, const Optional& found_inf) {
  if (!updates_exactly(values, amsgrad, grad_scale, found_inf)) {
    at::cpu::_fused_adamw_(values, gradients, firsts, seconds, largest, steps, lr, beta1, beta2, weight_decay, eps, amsgrad,
                           maximize, grad_scale, found_inf);
    return;
  }
  update_all({lr, beta1, beta2, weight_decay, eps, maximize}, values, gradients, firsts, seconds, steps);
}

// clamp() of clip_grad_norm_'s factor to at most 1: rounds it down to a power of two, so that it scales partial gradients
// exactly.
Tensor clamped(const Tensor& x, const std::optional<at::Scalar>& low, const std::optional<at::Scalar>& high) {
  Tensor result = at::cpu::clamp(x, low, high);
  if (x.dim() != 0 || !takes_stable_path(x) || low || !high || high->toDouble() != 1) return result;
  const double factor = number_in(result);
  if (!(factor > 0) || !std::isfinite(factor)) return result;
  *result.mutable_data_ptr<double>() = std::exp2(std::ilogb(factor));
  return result;
}

Tensor& clamp_out(const Tensor& x, const std::optional<at::Scalar>& low, const std::optional<at::Scalar>& high, Tensor& out) {
  return takes_stable_path(x) ? steps::put(out, clamped(x, low, high)) : at::cpu::clamp_outf(x, low, high, out);
}

Tensor& clamp_in_place(Tensor& x, const std::optional<at::Scalar>& low, const std::optional<at::Scalar>& high) {
  return takes_stable_path(x) ? steps::overwrite(x, clamped(x, low, high)) : at::cpu::clamp_(x, low, high);
}

}  // namespace

void add_optimizers(KernelSet& kernels) {
  kernels.add("_fused_adamw_", TORCH_FN(fused_adamw));
  kernels.add("clamp", TORCH_FN(clamped));
  kernels.add("clamp.out", TORCH_FN(clamp_out));
  kernels.add("clamp_", TORCH_FN(clamp_in_place));
}

}  // namespace ordercheck::ranks
