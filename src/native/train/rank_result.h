// Holds one rank's result: its pieces of all tensors, and how they are sharded. The record combines the pieces of all ranks
// after the world ended, so that observing a run sends nothing.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "native/module/placement.h"
#include "native/module/rank.h"
#include "record/record.h"

namespace ordercheck::ranks {

// Where a rank actually ran, to compare with the requested device and world. Without this check, a world that lost its settings
// would compute elsewhere with equal bits unnoticed.

struct WhereItRan {
  std::string device;   // where the parameters are: "cpu", "cuda:0"
  std::string backend;  // of the world's group: "ordercheck_gloo"; "" for a single rank
  friend bool operator==(const WhereItRan&, const WhereItRan&) = default;
};

// Returns it for this thread's rank. `device` is that of any of its parameters, or the rank's device if it has none.
WhereItRan where_this_rank_ran(const RankState& rank, c10::Device device);

// Returns one line about the first rank that ran elsewhere than requested; "" if none did. `asked` and `ran` have one entry per
// rank.
std::string why_elsewhere(const std::vector<WhereItRan>& asked, const std::vector<WhereItRan>& ran);

struct Piece {
  at::Tensor tensor;
  Placements placements;
};

// This rank's piece of a module's output, or of the output's gradient, in one microbatch.
struct TracedPiece {
  int step;
  Phase phase;  // forward: the output; backward: its gradient
  std::string module;
  int call;  // index of this call among the module's calls in the microbatch's forward
  int64_t sequence_dim;
  Piece piece;
};

struct RankResult {
  WhereItRan where;                   // device of the parameters and backend of the collectives
  bool has_block = false;             // this rank's model part has a transformer block; a pipeline stage may have none
  std::vector<Bits64> loss;           // per step: the mean loss over all ranks' tokens
  std::vector<Bits64> gradient_norm;  // per step: the total norm over all ranks' gradients
  std::vector<std::map<std::string, Piece>> gradients;  // per step, by parameter name; tensor undefined: no gradient
  std::map<std::string, Piece> values;                  // parameter values after the last step, by parameter name
  std::vector<TracedPiece> trace;                       // in execution order; empty unless the run is traced
  at::Tensor positions;                                 // positions in the full sequence of this rank's tokens, in their order
  std::vector<CollectiveCount> collectives;
  Counters counters;
  std::vector<std::string> notes;
  std::vector<GraphRecord> graphs;  // captured graphs, only if the run asks for them
  std::vector<PlanRecord> plans;    // plans by which auto_parallel placed the model, together with graphs
};

}  // namespace ordercheck::ranks
