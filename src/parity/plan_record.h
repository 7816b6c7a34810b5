// A plan of placements as a record keeps it on request: where every value of a traced model is on the mesh, and what that costs by the
// cost model, for people to read and to draw.
//
// Placements are written one a mesh axis, in the mesh's order: "S(0)R" is sharded along dim 0 over the first axis and replicated over
// the second, "P" is a partial sum.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ordercheck {

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
