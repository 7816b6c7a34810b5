// As native/arith/losses.cpp: negative log-likelihood, and the gradient of the smooth L1 loss.
#include <ATen/core/Reduction.h>
#include <torch/library.h>

#include "native/arith/cuda/exact_operators.h"
#include "native/arith/cuda/steps.h"
#include "native/arith/cuda/tensor_kernels.h"
#include "native/arith/exactness.h"

namespace ordercheck::ranks {
namespace on_device {
namespace {

using Weight = std::optional<Tensor>;
using Loss = std::tuple<Tensor, Tensor>;  // the loss, and the total weight (the number of counted labels)

// `x` is [classes] or [samples, classes].
Loss loss_of(const char* op, const Tensor& x, const Tensor& target, int64_t reduction, int64_t ignored) {
  const Tensor rows = in_rows(x), labels = in_rows(target).reshape({-1});
  const int64_t classes = rows.size(-1), samples = rows.numel() / std::max<int64_t>(classes, 1);
  TORCH_CHECK(labels.numel() == samples, op, ": expected ", samples, " labels, got ", labels.numel());
  const Tensor counts = at::ne(labels, ignored);
  const Tensor wrong = at::logical_and(counts, at::logical_or(at::lt(labels, 0), at::ge(labels, classes)));
  TORCH_CHECK_INDEX(!wrong.any().item<bool>(), op, ": label ", at::masked_select(labels, wrong)[0].item<int64_t>(), " of ",
                    classes, " classes");
  const Tensor places = at::where(counts, labels, at::zeros({}, labels.options())).unsqueeze(1);
  const Tensor picked = at::neg(rows.view({samples, classes}).gather(1, places).squeeze(1));
  const Tensor terms = at::where(counts, picked, at::zeros({}, rows.options())).view(target.sizes());
  if (reduction == at::Reduction::None) return {terms, at::zeros({}, rows.options())};
  const Tensor total = sum_of_terms(terms, Term::itself, sum_bits(), {}, /*keepdim=*/false, op);
  const Tensor count = counts.sum().to(at::kDouble);
  return {reduction == at::Reduction::Sum ? total : over(total, count), count};
}

Loss nll_loss(const Tensor& x, const Tensor& target, const Weight&, int64_t reduction, int64_t ignored) {
  return loss_of("aten::nll_loss_forward", x, target, reduction, ignored);
}

// `x` is [samples, classes, height, width], `target` is [samples, height, width].
Loss nll_loss2d(const Tensor& x, const Tensor& target, const Weight&, int64_t reduction, int64_t ignored) {
  return loss_of("aten::nll_loss2d_forward", x.movedim(1, -1), target, reduction, ignored);
}

bool is_exact_loss(const char* op, Arguments arguments) {
  if (!takes_exact_path(op, arguments[0].toTensor())) return false;
  if (const auto weight = arguments[2].toOptional<Tensor>(); weight && weight->defined())
    refuse_exact(op, "with a weight a class");
  return true;
}

Tensor smooth_l1_backward(const Tensor& gradient, const Tensor& x, const Tensor& target, int64_t reduction, double beta) {
  const Tensor d = in_rows(minus(x, target)), g = in_rows(gradient.expand(d.sizes()));
  const Tensor scaled = times(g, reduction == at::Reduction::Mean ? 1.0 / static_cast<double>(d.numel()) : 1.0);
  const Tensor between = over(times(d, scaled), beta);
  return at::where(at::le(d, -beta), at::neg(scaled), at::where(at::ge(d, beta), scaled, between));
}

}  // namespace
}  // namespace on_device

std::vector<ExactOperator> exact_losses() {
  using c10::KernelFunction;
  return {{{"nll_loss_forward", "nll_loss_forward.output"},
           on_device::is_exact_loss,
           KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::nll_loss))},
          {{"nll_loss2d_forward", "nll_loss2d_forward.output"},
           on_device::is_exact_loss,
           KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::nll_loss2d))},
          {{"smooth_l1_loss_backward.grad_input"},
           sums_of({0, 1}),
           KernelFunction::makeFromUnboxedFunction(TORCH_FN(on_device::smooth_l1_backward))}};
}

}  // namespace ordercheck::ranks
