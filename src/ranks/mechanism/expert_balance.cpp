#include "ranks/mechanism/expert_balance.h"

#include <ATen/ATen.h>

#include "ranks/comm/collectives.h"
#include "ranks/model/moe.h"

namespace ordercheck::ranks {
namespace {

// A power of two, so that biases stay on the grid; large enough to change choices within a few steps.
constexpr double kStep = 0x1p-5;

}  // namespace

void move_expert_biases(const ModulePtr& model, const std::vector<std::string>& axes) {
  const at::NoGradGuard no_grad;
  for (const ModulePtr& module : modules_of(model)) {
    auto* const moe = dynamic_cast<MoE*>(module.get());
    if (!moe) continue;
    at::Tensor counts = moe->tokens_per_expert;
    for (const std::string& axis : axes) counts = all_reduce(counts, axis);
    // Compared as integers: a mean would be rounded.
    const at::Tensor ahead = counts * counts.size(0) - counts.sum();
    moe->bias = moe->bias - at::sign(ahead).to(at::kDouble) * kStep;
    moe->tokens_per_expert.zero_();
  }
}

}  // namespace ordercheck::ranks
