// Experts on different ranks: each rank holds some of them, and tokens travel there and back. After torchtitan's ExpertParallel
// and Megatron-LM's all-to-all token dispatcher.
//
//   before the experts   counts are exchanged, rows are sent to the ranks of their experts, and sorted by expert
//   behind them          back into the order in which they came, and home
//
// Backward sends gradients the same ways. A rank whose experts get no token takes part with no rows. Where each expert is split over
// tp too, the ranks of tp, which have other tokens between tensor-parallel modules, put their rows together for the time of the
// experts.
#pragma once

#include <string>
#include <vector>

#include "ranks/module/module.h"
#include "stack/mesh.h"

namespace ordercheck::ranks {

struct ExpertSite {
  Mesh mesh;
  int rank = 0;
  bool split_within = false;  // each expert is split over tp too
};

// `experts` takes rows sorted by expert and their counts (model/moe.h). Its parameters become this rank's experts of them. Throws
// where they are placed already, or where the ranks do not divide the experts.
void distribute_experts(Module& experts, const ExpertSite& site);

// Whether its parameters are those of some experts of several: a model that is sharded by data parallelism shards them by
// themselves, over the ranks that hold the same ones.
bool holds_distributed_experts(const Module& module);

// Moving the biases by which experts are chosen, as a trainer does before its optimizer's step: after torchtitan's
// _update_expert_bias.

// Of every mixture of experts in the model: an expert with fewer tokens than the mean is favoured by a fixed step, one with more is
// held back. Tokens are counted over the ranks along `axes`, each of which has others. Counts start anew.
void move_expert_biases(const ModulePtr& model, const std::vector<std::string>& axes);

}  // namespace ordercheck::ranks
