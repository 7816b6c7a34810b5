// All-reduces gradients that no data-parallel wrapper reduces: once per step, after the last backward and before clipping. Like
// Megatron-LM's finalize_model_grads for sequence parallelism.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "native/module/module.h"

namespace ordercheck::ranks {

// Ranks along `axis` run the same parameters on different tokens, so each rank has only a part of the gradient. After the
// step's last backward, the gradients of parameters for which `of` returns true are summed over `axis`.
struct LateSum {
  std::string axis;
  std::function<bool(const NamedParameter&)> of;
};

// All-reduces the gradient of each selected parameter over the axis of its LateSum. Skips an axis on which the parameter is
// already placed (sharded or replicated): the transform that placed it reduces its gradient. Gradients of experts placed over
// ep are all-reduced once over edp, the ranks with the same experts, instead.
void sum_late(const ModulePtr& model, const std::vector<LateSum>& sums);

}  // namespace ordercheck::ranks
