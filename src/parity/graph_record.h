// A captured graph as a record keeps it on request: operators over numbered values, for people to read and to draw, and for what is
// worked out of a graph without LibTorch (captured/).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace ordercheck {

struct GraphNodeRecord {
  std::string op;             // "aten::mm"
  bool backward = false;      // of the backward half
  bool recomputed = false;    // forward work done again in backward
  std::string policy;         // "must_save", "must_recompute": the tag by which a partition decides; "" where it goes by cost
  bool unshards = false;      // a step from a rank's piece of a parameter to the whole
  std::string bucket;         // of a collective: the bucket that it is sent in, or is to be sent in; "" by itself
  std::string group;          // of a collective or a message: between which ranks: "dp_shard"; else ""
  int ranks = 0;              // of that group; 0 without one
  std::string arguments;      // values and constants as they were handed in: "%1, 2"
  std::vector<int> operands;  // numbers of values
  std::vector<int> results;
  friend bool operator==(const GraphNodeRecord&, const GraphNodeRecord&) = default;
};

struct GraphRecord {
  std::string module;                             // that it was captured from, wrappers left out; "" for the model
  std::vector<std::string> passes;                // behind which it stands so, in the order in which they were run
  std::vector<std::vector<std::int64_t>> shapes;  // of value n
  std::vector<int> element_bytes;                 // of value n
  std::vector<int> view_of;                       // of value n: the value whose memory it shares, -1 where it has its own
  std::vector<int> inputs, parameters;
  std::vector<int> saved;              // handed from forward to backward, parameters among them
  std::vector<int> outputs;            // of forward
  std::vector<int> tangents;           // their gradients, which backward is given
  std::vector<int> gradients;          // of inputs and parameters
  std::vector<GraphNodeRecord> nodes;  // in the order in which they run
  friend bool operator==(const GraphRecord&, const GraphRecord&) = default;
};

// Each list of values is as long as the others, each number is that of a value, no value is larger than 2^50 bytes, and none is a view of
// itself, directly or not.
Status check_graph_record(const GraphRecord& graph);

// A plan of placements as a record keeps it on request: where every value of a traced model is on the mesh, and what that costs by the
// cost model, for people to read and to draw.
//
// Placements are written one a mesh axis, in the mesh's order: "S(0)R" is sharded along dim 0 over the first axis and replicated over
// the second, "P" is a partial sum.

struct PlanOperandRecord {
  int node = 0;        // the node that makes it, by place in the plan
  std::string source;  // where that node leaves it
  std::string wanted;  // where this one takes it: elsewhere, and it is redistributed
  std::int64_t move_ns = 0;
  friend bool operator==(const PlanOperandRecord&, const PlanOperandRecord&) = default;
};

struct PlanNodeRecord {
  std::string name;       // "%12 aten::mm", "parameter 3", "output 0"
  std::string parameter;  // of a parameter, its name in the model; else ""
  bool backward = false;
  std::vector<std::int64_t> shape;  // of its first result, as one device has it; of an output, of what it takes
  std::vector<PlanOperandRecord> operands;
  std::vector<std::string> results;  // where it leaves them
  std::int64_t run_ns = 0;           // on the largest piece
  friend bool operator==(const PlanNodeRecord&, const PlanNodeRecord&) = default;
};

struct PlanRecord {
  std::vector<std::pair<std::string, int>> mesh;  // axes and their sizes
  std::string machine;                            // that costs are stated for
  std::vector<PlanNodeRecord> nodes;              // in the order in which they run
  std::vector<std::string> replicated_operators;  // that no rule knows: they run on whole values
  friend bool operator==(const PlanRecord&, const PlanRecord&) = default;
};

}  // namespace ordercheck
