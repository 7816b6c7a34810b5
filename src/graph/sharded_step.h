// Rewrites a traced step for one rank that shards parameters, as SimpleFSDP does: all-gathers them before they are read and
// reduce-scatters their gradients, each alone or per block.
//
// Source: torchtitan's SimpleFSDP and its manual bucketing (PR #1881): casts run on shards, buckets are copied in and out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "graph/costs.h"
#include "graph/timeline.h"
#include "record/graph_record.h"

namespace ordercheck::captured {

struct ShardedMode {
  bool by_block = false;      // one collective per block: "layers.2" of "layers.2.norm.weight", else the first module
  bool one_ahead = false;     // overlap the next all-gather, and the previous reduce-scatter, with compute
  bool gathers_again = true;  // in backward; false keeps what forward gathered
  friend bool operator==(const ShardedMode&, const ShardedMode&) = default;
};

// - whole: the step with the tokens of one rank; its gradients are those of its parameters, in order
// - parameters: the names of its parameters
GraphRecord sharded_step(const GraphRecord& whole, const std::vector<std::string>& parameters, int ranks,
                         const ShardedMode& mode);

struct ShardedCost {
  ShardedMode mode;
  std::int64_t gathers = 0, scatters = 0;  // collectives of a step
  std::int64_t held_bytes = 0;             // at peak, with the parameters of the rank
  Timeline timeline;
};

// All modes that differ. An error if the machine lacks a speed that an operator needs.
Result<std::vector<ShardedCost>> costs_of_modes(const GraphRecord& whole, const std::vector<std::string>& parameters, int ranks,
                                                const placing::Machine& machine);

}  // namespace ordercheck::captured
