#include "native/transform/late_sums.h"

#include <algorithm>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "native/world/collectives.h"
#include "native/world/current_module.h"

namespace ordercheck::ranks {
namespace {

constexpr const char* kExperts = "ep";

std::vector<std::string> axes_that_need_a_sum(const NamedParameter& named, const std::vector<LateSum>& sums) {
  std::vector<std::string> axes;
  for (const LateSum& sum : sums)
    if (sum.of(named)) axes.push_back(sum.axis);
  if (!axes.empty() && is_placed_over(named.parameter->placements, kExperts)) axes = {kSameExperts};
  std::erase_if(axes, [&](const std::string& axis) { return is_placed_over(named.parameter->placements, axis); });
  return axes;
}

}  // namespace

void sum_late(const ModulePtr& model, const std::vector<LateSum>& sums) {
  if (sums.empty()) return;
  const BlameScope blame("root");
  const at::NoGradGuard no_grad;
  for (const NamedParameter& named : parameters_of(model)) {
    at::Tensor& gradient = named.parameter->tensor.mutable_grad();
    if (!gradient.defined()) continue;
    for (const std::string& axis : axes_that_need_a_sum(named, sums)) gradient = all_reduce(gradient, axis);
  }
}

}  // namespace ordercheck::ranks
