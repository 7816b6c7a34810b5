// What one rank returns from a run: its pieces, with where they lie. The record puts the pieces of all ranks together
// after the world has ended, so that observing sends nothing and disturbs nothing.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "parity/record.h"
#include "ranks/module/placement.h"
#include "ranks/module/rank.h"

namespace ordercheck::ranks {

// Where a rank's numbers came from, as the rank itself saw it, held against what was asked for. A record names a device and a world:
// a world that loses what it was asked for on the way would compute somewhere else, bit for bit as well, and nothing else would tell.

struct WhereItRan {
  std::string device;   // of the parameters: "cpu", "cuda:0"
  std::string backend;  // of the group of all ranks: "ordercheck_gloo"; "" where a rank is alone
  friend bool operator==(const WhereItRan&, const WhereItRan&) = default;
};

// Of the rank of this thread, whose parameter (any of them; the rank's device where it has none) lies on `device`.
WhereItRan where_this_rank_ran(const RankState& rank, c10::Device device);

// In one line, the first rank that ran elsewhere than asked, or "". `asked` and `ran`: of each rank.
std::string why_elsewhere(const std::vector<WhereItRan>& asked, const std::vector<WhereItRan>& ran);

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
