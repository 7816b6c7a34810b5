// How an operator can run on a mesh: where it wants its operands and where its results are then.
//
// Every family of operators says it for one mesh axis (`AxisRule`); the strategies of a mesh are the products of these over its axes,
// without those that no rank could run. An operator that no family knows runs replicated and is named in the plan.
// Source of the rules: the meaning of each operator, as PyTorch's DTensor states it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "placing/graph/joint_graph.h"

namespace ordercheck::placing {

// One axis. `even`: an operator that reinterprets the layout (view) is right only where every rank holds equally much.
struct AxisRule {
  std::vector<Placement> operands;  // one an operand
  std::vector<Placement> results;   // one a result
  bool even = false;
};

struct Strategy {
  std::vector<Placements> operands;
  std::vector<Placements> results;
  bool even = false;
  friend bool operator==(const Strategy& a, const Strategy& b) { return a.operands == b.operands && a.results == b.results; }
};

// "S(0)R,RR->S(0)R": unique in a node, the same on every machine.
std::string name_of(const Strategy& strategy);

struct NodeStrategies {
  std::vector<Strategy> choices;  // sorted by name, no two alike; never empty
  bool is_known = true;           // else no family knows the operator
};

// The shapes that a rule looks at, and the constants.
struct OperatorShapes {
  const JointNode& node;
  std::vector<Shape> operands, results;
};

// The rules of a family for the operators that it knows; nothing for others, or for arguments that it cannot read.
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

// Constants among the arguments of a node, read from their text. Absent where the argument is missing or reads otherwise.

// Whole numbers only: "-1", and "1" for the float 1.
std::optional<std::int64_t> int_argument(const JointNode& node, std::size_t at);
std::optional<std::vector<std::int64_t>> ints_argument(const JointNode& node, std::size_t at);  // "[2, -1]"
std::optional<bool> bool_argument(const JointNode& node, std::size_t at);                       // "True"

// A dim counted from the back, from the front. Absent where the tensor has no such dim.
std::optional<int> dim_of(std::optional<std::int64_t> dim, std::size_t rank);

}  // namespace ordercheck::placing
