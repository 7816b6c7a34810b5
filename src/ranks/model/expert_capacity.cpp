#include "ranks/model/expert_capacity.h"

#include <cmath>

#include <ATen/ATen.h>

namespace ordercheck::ranks {

int64_t expert_capacity(double factor, int64_t copies, int64_t experts) {
  return static_cast<int64_t>(std::ceil(factor * static_cast<double>(copies) / static_cast<double>(experts)));
}

at::Tensor taken_by_experts(const at::Tensor& order, const at::Tensor& chosen, const at::Tensor& probabilities,
                            int64_t capacity) {
  const int64_t copies = chosen.size(0);
  // Within an expert the most probable come first. Both sorts are stable, so of equal ones the earlier token does.
  const at::Tensor by_probability = at::argsort(probabilities, /*stable=*/true, /*dim=*/0, /*descending=*/true);
  const at::Tensor by_expert =
      at::argsort(chosen.index_select(0, by_probability), /*stable=*/true, /*dim=*/0, /*descending=*/false);
  const at::Tensor ranked = by_probability.index_select(0, by_expert);
  const at::Tensor experts = chosen.index_select(0, ranked).contiguous();
  const at::Tensor place = at::arange(copies, experts.options()) - at::searchsorted(experts, experts);  // within its expert
  const at::Tensor taken = at::zeros({copies}, experts.options().dtype(at::kBool)).scatter(0, ranked, place.lt(capacity));
  return order.masked_select(taken.index_select(0, order));
}

}  // namespace ordercheck::ranks
