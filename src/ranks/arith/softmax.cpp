#include "ranks/arith/softmax.h"

#include <limits>

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

namespace ordercheck::ranks {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct MaskedSoftmax : torch::autograd::Function<MaskedSoftmax> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& scores, const at::Tensor& hidden,
                            const Numerics& numerics) {
    ctx->saved_data["arithmetic"] = static_cast<int64_t>(numerics.arithmetic);
    const at::Tensor masked = scores.masked_fill(hidden, -std::numeric_limits<double>::infinity());
    const at::Tensor exponentials = at::exp(masked - masked.amax({-1}, /*keepdim=*/true));
    const at::Tensor weights = exponentials / sum_terms(numerics, exponentials);
    ctx->save_for_backward({weights});
    return weights;
  }
  static variable_list backward(AutogradContext* ctx, variable_list gradients) {
    const Numerics numerics{.arithmetic = static_cast<Arithmetic>(ctx->saved_data["arithmetic"].toInt())};
    const at::Tensor weights = ctx->get_saved_variables()[0];
    const at::Tensor& gradient = gradients[0];
    return {(gradient - sum_terms(numerics, gradient * weights)) * weights, at::Tensor(), at::Tensor()};
  }
};

}  // namespace

at::Tensor masked_softmax(const Numerics& numerics, const at::Tensor& scores, const at::Tensor& hidden) {
  return MaskedSoftmax::apply(scores, hidden, numerics);
}

}  // namespace ordercheck::ranks
