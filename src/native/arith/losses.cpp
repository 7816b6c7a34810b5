// Exact negative log-likelihood: its terms, one element per row, are rounded to the grid and summed. Also the gradient of the
// smooth L1 loss, one rounding per step: the stock kernel rounds a row's last elements differently.
#include <ATen/CPUFunctions.h>
#include <ATen/EmptyTensor.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/expand_native.h>
#include <ATen/ops/movedim_native.h>

#include "native/arith/exactness.h"
#include "native/arith/kernel_set.h"
#include "native/arith/snap.h"
#include "native/arith/steps.h"
#include "native/arith/sum_terms.h"

namespace ordercheck::ranks {
namespace {

using at::Tensor;
using Weight = std::optional<Tensor>;
using Loss = std::tuple<Tensor, Tensor>;  // the loss, and the total weight (the number of counted labels)

bool is_exact_loss(const char* op, const Tensor& x, const Weight& weight) {
  if (!takes_exact_path(op, x)) return false;
  if (weight && weight->defined()) refuse_exact(op, "with a weight a class");
  return true;
}

Tensor scalar(double value) { return c10::scalar_to_tensor(value); }

// `x` is [classes] or [samples, classes].
Loss exact_loss(const char* op, const Tensor& x, const Tensor& target, int64_t reduction, int64_t ignored) {
  const Tensor rows = in_rows(x);
  const Tensor labels = in_rows(target);
  const int64_t classes = rows.size(-1), samples = rows.numel() / std::max<int64_t>(classes, 1);
  TORCH_CHECK(labels.numel() == samples, op, ": expected ", samples, " labels, got ", labels.numel());
  Tensor terms = at::detail::empty_cpu(labels.sizes(), rows.options());
  double* term = terms.mutable_data_ptr<double>();
  double count = 0;
  for (int64_t i = 0; i < samples; ++i) {
    const int64_t label = labels.const_data_ptr<int64_t>()[i];
    TORCH_CHECK_INDEX(label == ignored || (label >= 0 && label < classes), op, ": label ", label, " of ", classes, " classes");
    term[i] = label == ignored ? 0.0 : -rows.const_data_ptr<double>()[i * classes + label];
    count += label != ignored;
  }
  if (reduction == at::Reduction::None) return {terms, scalar(0)};
  const Tensor total = sum_terms(terms, Term::itself, sum_bits(), {}, /*keepdim=*/false, op);
  return {reduction == at::Reduction::Sum ? total : steps::div(total, count), scalar(count)};
}

Loss nll_loss(const Tensor& x, const Tensor& target, const Weight& weight, int64_t reduction, int64_t ignored) {
  constexpr const char* op = "aten::nll_loss_forward";
  if (!is_exact_loss(op, x, weight)) return at::cpu::nll_loss_forward(x, target, weight, reduction, ignored);
  return exact_loss(op, x, target, reduction, ignored);
}

std::tuple<Tensor&, Tensor&> nll_loss_out(const Tensor& x, const Tensor& target, const Weight& weight, int64_t reduction,
                                          int64_t ignored, Tensor& out, Tensor& total_weight) {
  constexpr const char* op = "aten::nll_loss_forward";
  if (!is_exact_loss(op, x, weight))
    return at::cpu::nll_loss_forward_outf(x, target, weight, reduction, ignored, out, total_weight);
  const auto [loss, count] = exact_loss(op, x, target, reduction, ignored);
  return std::forward_as_tuple(steps::put(out, loss), steps::put(total_weight, count));
}

// `x` is [samples, classes, height, width], `target` is [samples, height, width].
Loss nll_loss2d(const Tensor& x, const Tensor& target, const Weight& weight, int64_t reduction, int64_t ignored) {
  constexpr const char* op = "aten::nll_loss2d_forward";
  if (!is_exact_loss(op, x, weight)) return at::cpu::nll_loss2d_forward(x, target, weight, reduction, ignored);
  return exact_loss(op, at::native::movedim(x, 1, -1), target, reduction, ignored);
}

std::tuple<Tensor&, Tensor&> nll_loss2d_out(const Tensor& x, const Tensor& target, const Weight& weight, int64_t reduction,
                                            int64_t ignored, Tensor& out, Tensor& total_weight) {
  constexpr const char* op = "aten::nll_loss2d_forward";
  if (!is_exact_loss(op, x, weight))
    return at::cpu::nll_loss2d_forward_outf(x, target, weight, reduction, ignored, out, total_weight);
  const auto [loss, count] = exact_loss(op, at::native::movedim(x, 1, -1), target, reduction, ignored);
  return std::forward_as_tuple(steps::put(out, loss), steps::put(total_weight, count));
}

Tensor& smooth_l1_backward(const Tensor& gradient, const Tensor& x, const Tensor& target, int64_t reduction, double beta,
                           Tensor& out) {
  if (!takes_exact_path("aten::smooth_l1_loss_backward", gradient, x))
    return at::cpu::smooth_l1_loss_backward_outf(gradient, x, target, reduction, beta, out);
  const Tensor difference = in_rows(steps::sub(x, target));
  const Tensor g = in_rows(at::native::expand(gradient, difference.sizes(), /*implicit=*/false));
  const double share = reduction == at::Reduction::Mean ? 1.0 / static_cast<double>(difference.numel()) : 1.0;
  Tensor value = at::detail::empty_cpu(difference.sizes(), difference.options());
  double* to = value.mutable_data_ptr<double>();
  for (int64_t i = 0; i < value.numel(); ++i) {
    const double d = difference.const_data_ptr<double>()[i], scaled = g.const_data_ptr<double>()[i] * share;
    to[i] = d <= -beta ? -scaled : d >= beta ? scaled : d * scaled / beta;
  }
  return steps::put(out, value);
}

}  // namespace

void add_losses(KernelSet& kernels) {
  kernels.add("nll_loss_forward", TORCH_FN(nll_loss));
  kernels.add("nll_loss_forward.output", TORCH_FN(nll_loss_out));
  kernels.add("nll_loss2d_forward", TORCH_FN(nll_loss2d));
  kernels.add("nll_loss2d_forward.output", TORCH_FN(nll_loss2d_out));
  kernels.add("smooth_l1_loss_backward.grad_input", TORCH_FN(smooth_l1_backward));
}

}  // namespace ordercheck::ranks
