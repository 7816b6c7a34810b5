// Stores a captured forward and backward graph as plain values, without LibTorch: operators over numbered values. `ordercheck
// graph` prints and draws it; src/graph analyzes it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace ordercheck {

struct GraphNodeRecord {
  std::string op;             // "aten::mm"
  bool backward = false;      // in the backward half
  bool recomputed = false;    // forward work repeated in backward
  std::string policy;         // tag for the min-cut partitioner, "must_save" or "must_recompute"; "" if untagged
  bool unshards = false;      // part of all-gathering a sharded parameter
  std::string bucket;         // of a collective: the name of its bucket; "" if sent alone
  std::string group;          // of a collective or message: its group, "dp_shard"; else ""
  int ranks = 0;              // size of that group; 0 if none
  std::string arguments;      // values and constants as passed: "%1, 2"
  std::vector<int> operands;  // value numbers
  std::vector<int> results;
  std::string module;  // that called it, or whose backward it is; "" if unknown
  friend bool operator==(const GraphNodeRecord&, const GraphNodeRecord&) = default;
};

struct GraphRecord {
  std::string module;                             // the module it was captured from, without wrappers; "" for the model
  std::vector<std::string> passes;                // graph passes that ran on it so far, in order
  std::vector<std::vector<std::int64_t>> shapes;  // of value n
  std::vector<int> element_bytes;                 // of value n
  std::vector<int> view_of;                       // of value n: the value whose memory it shares, -1 if its own
  std::vector<int> inputs, parameters;
  std::vector<int> saved;              // saved by forward for backward, parameters included
  std::vector<int> outputs;            // of forward
  std::vector<int> tangents;           // gradients of the outputs, inputs of backward
  std::vector<int> gradients;          // of inputs and parameters
  std::vector<GraphNodeRecord> nodes;  // in execution order
  friend bool operator==(const GraphRecord&, const GraphRecord&) = default;
};

// An error unless the per-value lists have equal length, value numbers are valid, no value exceeds 2^50 bytes and views form
// no cycle.
Status check_graph_record(const GraphRecord& graph);

// A placement plan, stored on request: where each value of a traced model is on the mesh and what that costs by the cost model.
// People read and draw it.
//
// Placements are one letter group per mesh axis, in mesh order: "S(0)R" is sharded along dim 0 over the first axis and
// replicated over the second. "P" is a partial sum.

struct PlanOperandRecord {
  int node = 0;        // the producer, by index in the plan
  std::string source;  // the placement that the producer leaves
  std::string wanted;  // the placement that the consumer needs; redistributed if it differs
  std::int64_t move_ns = 0;
  friend bool operator==(const PlanOperandRecord&, const PlanOperandRecord&) = default;
};

struct PlanNodeRecord {
  std::string name;       // "%12 aten::mm", "parameter 3", "output 0"
  std::string parameter;  // name in the model if it is a parameter, else ""
  std::string module;     // that called it, or whose backward it is; "" if unknown
  bool backward = false;
  std::vector<std::int64_t> shape;  // global shape of its first result; for an output node, of its operand
  int element_bytes = 8;            // of that value
  std::vector<PlanOperandRecord> operands;
  std::vector<std::string> results;  // placements of the results
  std::int64_t run_ns = 0;           // estimated time on the largest shard
  friend bool operator==(const PlanNodeRecord&, const PlanNodeRecord&) = default;
};

struct PlanRecord {
  std::vector<std::pair<std::string, int>> mesh;  // axes and sizes
  std::string machine;                            // the machine that costs are stated for
  std::vector<PlanNodeRecord> nodes;              // in execution order
  std::vector<std::string> replicated_operators;  // operators without a placement rule: they run on replicated values
  friend bool operator==(const PlanRecord&, const PlanRecord&) = default;
};

}  // namespace ordercheck
