// Gradients that no wrapper sums, summed by the trainer: once a step, between its last backward and clipping. As Megatron-LM's
// finalize_model_grads does for what sequence parallelism leaves apart.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ranks/module/module.h"

namespace ordercheck::ranks {

// Ranks along `axis` have other tokens than each other for the parameters that `of` names.
struct LateSum {
  std::string axis;
  std::function<bool(const NamedParameter&)> of;
};

// Sums over each axis the gradients of those of its parameters that nothing has charge of there. Experts that are distributed are
// on ranks of their own: theirs are summed over the ranks that hold the same ones (edp) instead, once.
void sum_late(const ModulePtr& model, const std::vector<LateSum>& sums);

}  // namespace ordercheck::ranks
