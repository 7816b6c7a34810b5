// What one rank returns from a run: its pieces, with where they lie. The record puts the pieces of all ranks together
// after the world has ended, so that observing sends nothing and disturbs nothing.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "parity/record.h"
#include "ranks/module/placement.h"
#include "ranks/train/where_it_ran.h"

namespace ordercheck::ranks {

struct Piece {
  at::Tensor tensor;
  Placements placements;
};

// A module's output, or its gradient, of one microbatch.
struct TracedPiece {
  int step;
  Phase phase;  // forward, backward
  std::string module;
  int call;  // of the module, in the forward of a microbatch
  int64_t sequence_dim;
  Piece piece;
};

struct RankResult {
  WhereItRan where;                                     // its parameters lay, and who moved them
  bool has_block = false;                               // of the model; a stage of a pipeline may have none
  std::vector<Bits64> loss;                             // a step
  std::vector<Bits64> gradient_norm;                    // a step
  std::vector<std::map<std::string, Piece>> gradients;  // a step, by parameter name; undefined tensor: no gradient
  std::map<std::string, Piece> values;                  // after the last step
  std::vector<TracedPiece> trace;                       // in order of execution
  at::Tensor positions;                                 // of the sequence: those that this rank has, in its order
  std::vector<CollectiveCount> collectives;
  Counters counters;
  std::vector<std::string> notes;
  std::vector<GraphRecord> graphs;  // only on request
  std::vector<PlanRecord> plans;    // with graphs
};

}  // namespace ordercheck::ranks
