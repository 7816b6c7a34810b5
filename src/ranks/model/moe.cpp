#include "ranks/model/moe.h"

#include <ATen/ATen.h>

#include "ranks/model/expert_capacity.h"
#include "ranks/model/grouped_products.h"

namespace ordercheck::ranks {
namespace {

// The last expert starts so far behind that it never gets a token: an expert without work is part of every run.
constexpr double kIdle = -4;

// What experts made of rows, in their order of `all` copies; a copy that no expert took gets nothing.
at::Tensor put_back(const at::Tensor& worked, const at::Tensor& order, int64_t all) {
  const int64_t taken = order.size(0);
  const at::Tensor place = at::full({all}, taken, order.options()).scatter(0, order, at::arange(taken, order.options()));
  return at::cat({worked, worked.new_zeros({1, worked.size(1)})}).index_select(0, place);
}

void own(Module& module, const char* slot, at::Tensor value) {
  std::vector<int64_t> shape = value.sizes().vec();
  module.set_parameter(slot, make_parameter(std::move(value), std::move(shape), {}));
}

}  // namespace

at::Tensor Router::forward(const Tensors& inputs) { return at::sigmoid(child("gate")->call({inputs[0]})); }

GroupedExperts::GroupedExperts(at::Tensor w1, at::Tensor w2, at::Tensor w3) : ModuleOf("GroupedExperts") {
  traced = false;
  own(*this, "w1", std::move(w1));
  own(*this, "w2", std::move(w2));
  own(*this, "w3", std::move(w3));
}

at::Tensor GroupedExperts::forward(const Tensors& inputs) {
  const at::Tensor &rows = inputs[0], &counts = inputs[1];
  const at::Tensor gate = at::silu(grouped_products(rows, use("w1"), counts));
  return grouped_products(gate * grouped_products(rows, use("w3"), counts), use("w2"), counts);
}

MoE::MoE(ModulePtr router, ModulePtr experts, ModulePtr shared_experts, int chosen)
    : ModuleOf("MoE"),
      bias(at::zeros({experts->parameter("w1")->full_shape[0]},
                     experts->parameter("w1")->tensor.options().dtype(at::kDouble).requires_grad(false))),
      chosen_(chosen) {
  bias[-1] = kIdle;
  tokens_per_expert = at::zeros({bias.size(0)}, bias.options().dtype(at::kLong));
  set_child("router", std::move(router));
  set_child("experts", std::move(experts));
  set_child("shared_experts", std::move(shared_experts));
}

MoE::MoE(const MoE& other)
    : ModuleOf(other),
      bias(other.bias.clone()),
      tokens_per_expert(other.tokens_per_expert.clone()),
      capacity_factor(other.capacity_factor),
      chosen_(other.chosen_) {}

at::Tensor MoE::forward(const Tensors& inputs) {
  const at::Tensor& x = inputs[0];
  const at::Tensor flat = x.reshape({-1, x.size(-1)});
  const int64_t tokens = flat.size(0), experts = bias.size(0);
  const at::Tensor scores = child("router")->call({x}).reshape({tokens, experts});
  const at::Tensor chosen = std::get<1>(at::topk(scores.detach() + bias.to(scores.scalar_type()), chosen_, 1)).reshape({-1});

  // Sorted by expert, tokens of one in their order.
  at::Tensor order = at::argsort(chosen, /*stable=*/true, /*dim=*/0, /*descending=*/false);
  at::Tensor counts = chosen.unsqueeze(1).eq(at::arange(experts, chosen.options())).sum(0);
  if (capacity_factor > 0) {
    const int64_t capacity = expert_capacity(capacity_factor, tokens * chosen_, experts);
    const at::Tensor probabilities = scores.detach().gather(1, chosen.reshape({tokens, chosen_})).reshape({-1});
    order = taken_by_experts(order, chosen, probabilities, capacity);
    counts = counts.clamp_max(capacity);
  }
  tokens_per_expert.add_(counts);
  const at::Tensor copies = flat.unsqueeze(1).expand({tokens, chosen_, flat.size(1)}).reshape({tokens * chosen_, flat.size(1)});
  const at::Tensor worked = child("experts")->call({copies.index_select(0, order), counts});
  const at::Tensor all =
      capacity_factor > 0 ? put_back(worked, order, tokens * chosen_) : worked.index_select(0, at::argsort(order));
  const at::Tensor back = all.reshape({tokens, chosen_, flat.size(1)});

  const at::Tensor weights = scores.gather(1, chosen.reshape({tokens, chosen_}));
  const at::Tensor routed = (back * weights.unsqueeze(-1)).sum(1);
  return routed.reshape(x.sizes()) + child("shared_experts")->call({x});
}

}  // namespace ordercheck::ranks
