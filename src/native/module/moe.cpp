#include "native/module/moe.h"

#include <cmath>

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace ordercheck::ranks {
namespace {

// Initial routing bias of the last expert: so low that it never gets a token, so that every run covers an idle expert.
constexpr double kIdle = -4;

// Returns the experts' output rows in the order of all `all` token copies; a dropped copy gets zeros.
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

  // Sort by expert; stable, so that an expert's tokens keep their order.
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

int64_t expert_capacity(double factor, int64_t copies, int64_t experts) {
  return static_cast<int64_t>(std::ceil(factor * static_cast<double>(copies) / static_cast<double>(experts)));
}

at::Tensor taken_by_experts(const at::Tensor& order, const at::Tensor& chosen, const at::Tensor& probabilities,
                            int64_t capacity) {
  const int64_t copies = chosen.size(0);
  // Within an expert, sort by probability. Both sorts are stable, so ties keep the earlier token.
  const at::Tensor by_probability = at::argsort(probabilities, /*stable=*/true, /*dim=*/0, /*descending=*/true);
  const at::Tensor by_expert =
      at::argsort(chosen.index_select(0, by_probability), /*stable=*/true, /*dim=*/0, /*descending=*/false);
  const at::Tensor ranked = by_probability.index_select(0, by_expert);
  const at::Tensor experts = chosen.index_select(0, ranked).contiguous();
  // Rank of each copy among those of its expert, by probability.
  const at::Tensor place = at::arange(copies, experts.options()) - at::searchsorted(experts, experts);
  const at::Tensor taken = at::zeros({copies}, experts.options().dtype(at::kBool)).scatter(0, ranked, place.lt(capacity));
  return order.masked_select(taken.index_select(0, order));
}

namespace {

std::vector<at::Tensor> by_group(const at::Tensor& rows, const at::Tensor& counts) {
  const at::Tensor of_groups = counts.to(at::kCPU);
  return rows.split_with_sizes(at::IntArrayRef(of_groups.const_data_ptr<int64_t>(), of_groups.numel()), 0);
}

// Forward of grouped_products(): multiplies each group of rows by its transposed matrix.
at::Tensor products_kernel(const at::Tensor& rows, const at::Tensor& matrices, const at::Tensor& counts) {
  const auto groups = by_group(rows, counts);
  std::vector<at::Tensor> products;
  for (std::size_t i = 0; i < groups.size(); ++i)
    products.push_back(at::mm(groups[i], matrices.select(0, static_cast<int64_t>(i))));
  return at::cat(products, 0);
}

// Gradient of the matrices: left^T times right for each group.
at::Tensor outer_kernel(const at::Tensor& left, const at::Tensor& right, const at::Tensor& counts) {
  const auto of_left = by_group(left, counts), of_right = by_group(right, counts);
  std::vector<at::Tensor> products;
  for (std::size_t i = 0; i < of_left.size(); ++i) products.push_back(at::mm(of_left[i].t(), of_right[i]));
  return at::stack(products);
}

TORCH_LIBRARY_FRAGMENT(ordercheck, library) {
  library.def("grouped_mm(Tensor rows, Tensor matrices, Tensor counts) -> Tensor");
  library.def("grouped_outer(Tensor left, Tensor right, Tensor counts) -> Tensor");
}
TORCH_LIBRARY_IMPL(ordercheck, CompositeExplicitAutograd, library) {
  library.impl("grouped_mm", products_kernel);
  library.impl("grouped_outer", outer_kernel);
}

using Signature = at::Tensor(const at::Tensor&, const at::Tensor&, const at::Tensor&);

at::Tensor call(const char* name, const at::Tensor& a, const at::Tensor& b, const at::Tensor& counts) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Signature>().call(a, b, counts);
}

struct GroupedProducts : torch::autograd::Function<GroupedProducts> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& rows, const at::Tensor& matrices,
                            const at::Tensor& counts) {
    context->save_for_backward({rows, matrices, counts});
    return call("ordercheck::grouped_mm", rows, matrices.transpose(1, 2), counts);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto saved = context->get_saved_variables();
    return {call("ordercheck::grouped_mm", gradients[0], saved[1], saved[2]),
            call("ordercheck::grouped_outer", gradients[0], saved[0], saved[2]), at::Tensor()};
  }
};

}  // namespace

at::Tensor grouped_products(const at::Tensor& rows, const at::Tensor& matrices, const at::Tensor& counts) {
  return GroupedProducts::apply(rows, matrices, counts);
}

}  // namespace ordercheck::ranks
