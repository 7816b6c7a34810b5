#include "ranks/train/loss.h"

#include <stdexcept>

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include "ranks/comm/collectives.h"

namespace ordercheck::ranks {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct CrossEntropy : torch::autograd::Function<CrossEntropy> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& logits, const at::Tensor& labels, const at::Tensor& valid,
                            const std::string& axis, const Numerics& numerics) {
    const int64_t columns = logits.size(-1);
    const int64_t first = axis.empty() ? 0 : columns * group_rank(axis);
    const auto over_axis = [&](const at::Tensor& x, Reduction reduction) {
      return axis.empty() ? x : all_reduce(x, axis, reduction);
    };
    const at::Tensor largest = over_axis(logits.amax({-1}, /*keepdim=*/true), Reduction::max);
    const at::Tensor exponentials = at::exp(logits - largest);
    const at::Tensor sum = over_axis(sum_terms(numerics, exponentials), Reduction::sum);

    const at::Tensor local = (labels - first).unsqueeze(-1);
    const at::Tensor mine = local.ge(0).logical_and(local.lt(columns));
    const at::Tensor index = local.clamp(0, columns - 1);
    const at::Tensor mine_number = mine.to(logits.scalar_type());
    const at::Tensor target = over_axis(logits.gather(-1, index) * mine_number, Reduction::sum);
    const at::Tensor counted = valid.unsqueeze(-1).to(logits.scalar_type());
    const at::Tensor terms = (at::log(sum) + largest - target) * counted;

    const at::Tensor one_hot = at::zeros_like(logits).scatter(-1, index, mine_number);
    ctx->save_for_backward({exponentials, sum, one_hot, counted});
    return sum_terms(numerics, terms.reshape({-1})).reshape({});
  }

  static variable_list backward(AutogradContext* ctx, variable_list gradients) {
    const auto saved = ctx->get_saved_variables();
    const at::Tensor to_logits = (saved[0] / saved[1] - saved[2]) * (saved[3] * gradients[0]);
    return {to_logits, at::Tensor(), at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

}  // namespace

at::Tensor summed_cross_entropy(const Numerics& numerics, const at::Tensor& logits, const at::Tensor& labels,
                                const at::Tensor& valid, const Placements& placements) {
  std::string axis;
  for (const Placement& placement : placements) {
    if (placement.kind != Placement::Kind::shard || placement.dim != 2 || !axis.empty()) {
      throw std::runtime_error("the loss expects logits whole or split over the vocabulary, got " + print(placements));
    }
    axis = placement.axis;
  }
  return CrossEntropy::apply(logits, labels, valid, axis, numerics);
}

}  // namespace ordercheck::ranks
