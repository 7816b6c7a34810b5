// Distributes experts over ranks and routes tokens to them and back, after torchtitan's ExpertParallel and Megatron-LM's
// all-to-all token dispatcher.
//
//   before the experts   all-to-alls of row counts, then of rows, each to the rank of its expert; then sorts rows by expert
//   after the experts    restores the order in which rows arrived and sends them back by another all-to-all
//
// In backward, gradients of rows take the same paths in reverse. A rank whose experts get no token still calls each all-to-all,
// with no rows. If each expert is also split over tp, the tp ranks, which hold different tokens, gather each other's rows
// before the experts and reduce-scatter the results after them.
#pragma once

#include <string>
#include <vector>

#include "native/module/module.h"
#include "stack/mesh.h"

namespace ordercheck::ranks {

struct ExpertSite {
  Mesh mesh;
  int rank = 0;
  bool split_within = false;  // each expert's hidden dim is also sharded over tp
};

// Replaces the parameters of `experts` (a GroupedExperts of module/moe.h) by those of this rank's experts, and hooks its call
// to exchange rows. Throws if the parameters are already placed on an axis, or if the number of experts is not divisible by the
// ranks.
void distribute_experts(Module& experts, const ExpertSite& site);

// True if the module's parameters are those of this rank's experts only. Data parallelism shards them separately from other
// parameters: over edp, the ranks with the same experts.
bool holds_distributed_experts(const Module& module);

// Updates the routing bias (MoE::bias) of every MoE layer after backward and before the optimizer step, after torchtitan's
// _update_expert_bias. Each expert's bias changes by a fixed step: up if it got fewer tokens in this step than the mean, down
// if it got more. Token counts are all-reduced over `axes` before, and reset to 0 after.
void move_expert_biases(const ModulePtr& model, const std::vector<std::string>& axes);

}  // namespace ordercheck::ranks
