// The graph of one rank that shards the parameters of a traced step, gathers them where they are read and scatters the sums of
// their gradients, as SimpleFSDP does: in one collective each, or in one per block, or with that of the next block under way.
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
  bool one_ahead = false;     // the next gather is sent during the compute of this one, and the last scatter during the next
  bool gathers_again = true;  // in backward; false keeps what forward gathered
  friend bool operator==(const ShardedMode&, const ShardedMode&) = default;
};

// `parameters` are the names of the graph's parameters, whose gradients are all the gradients of `whole`. The result is of the
// same tokens as `whole`: trace it with those of one rank.
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
