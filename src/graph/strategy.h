// Defines how an operator can run on a mesh: placements of its operands and its results.
//
// Each family of operators lists rules for one mesh axis (`AxisRule`). A mesh's strategies are their products over its axes,
// without those that some rank could not run. An operator without a family runs replicated, and the plan names it. Rules follow
// each operator's semantics, as in PyTorch's DTensor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/joint_graph.h"

namespace ordercheck::placing {

// One way to run an operator on one mesh axis: placements of operands and results. `even`: needs equal shards on all ranks, as
// operators that reinterpret the memory layout (view) do.
struct AxisRule {
  std::vector<Placement> operands;  // one per operand
  std::vector<Placement> results;   // one per result
  bool even = false;
};

struct Strategy {
  std::vector<Placements> operands;
  std::vector<Placements> results;
  bool even = false;
  friend bool operator==(const Strategy& a, const Strategy& b) { return a.operands == b.operands && a.results == b.results; }
};

// "S(0)R,RR->S(0)R": unique per node, equal on every machine.
std::string name_of(const Strategy& strategy);

struct NodeStrategies {
  std::vector<Strategy> choices;  // sorted by name, no duplicates, never empty
  bool is_known = true;           // false: no family has the operator
};

// The shapes and constants that rules use.
struct OperatorShapes {
  const JointNode& node;
  std::vector<Shape> operands, results;
  bool widens = false;  // the result has more bytes per element than the first operand
};

// A function that returns the rules of an operator; nullopt if the operator is not of its family, or if it cannot read the
// arguments.
using Family = std::optional<std::vector<AxisRule>> (*)(const OperatorShapes&);

std::optional<std::vector<AxisRule>> elementwise_rules(const OperatorShapes& shapes);
std::optional<std::vector<AxisRule>> reshaping_rules(const OperatorShapes& shapes);
std::optional<std::vector<AxisRule>> piecewise_rules(const OperatorShapes& shapes);
std::optional<std::vector<AxisRule>> contraction_rules(const OperatorShapes& shapes);
std::optional<std::vector<AxisRule>> reduction_rules(const OperatorShapes& shapes);
std::optional<std::vector<AxisRule>> normalization_rules(const OperatorShapes& shapes);
std::optional<std::vector<AxisRule>> embedding_rules(const OperatorShapes& shapes);
std::optional<std::vector<AxisRule>> attention_rules(const OperatorShapes& shapes);
std::optional<std::vector<AxisRule>> loss_rules(const OperatorShapes& shapes);
std::optional<std::vector<AxisRule>> factory_rules(const OperatorShapes& shapes);

NodeStrategies strategies_of(const JointGraph& graph, int node, const DeviceMesh& mesh);

// Read constants from argument text. nullopt if the argument is missing or has another form.

// Whole numbers only: "-1", and "1" for the float 1.
std::optional<std::int64_t> int_argument(const JointNode& node, std::size_t at);
std::optional<std::vector<std::int64_t>> ints_argument(const JointNode& node, std::size_t at);  // "[2, -1]"
std::optional<bool> bool_argument(const JointNode& node, std::size_t at);                       // "True"

// The dim counted from 0, for one that may be negative. nullopt if a tensor of this rank has no such dim.
std::optional<int> dim_of(std::optional<std::int64_t> dim, std::size_t rank);

}  // namespace ordercheck::placing
