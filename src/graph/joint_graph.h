// Defines the joint forward and backward graph of one step with global shapes, for which placements are planned.
//
// Nodes are in an executable order. Placeholders have no operands; an output node returns one value. `joint_graph_of` or
// hand-written code creates a graph; it does not change afterwards.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "graph/placement.h"

namespace ordercheck::placing {

// What a placeholder or output node is for the caller of the graph. The output node `gradient_of_parameter` number i belongs
// to the placeholder `parameter` number i, likewise for inputs. The placeholder `tangent` number i is the gradient of `output`
// number i.
enum class Role {
  none,
  parameter,
  input,
  tangent,
  output,
  gradient_of_parameter,
  gradient_of_input,
};

struct JointValue {
  Shape shape;
  int element_bytes = 8;
};

struct JointNode {
  std::string op;                      // "aten::mm"; "placeholder", "output" and "alias" belong to the graph
  std::vector<std::string> arguments;  // argument texts as recorded: "%1", "[2, 3]", "-1"
  std::vector<int> operands;           // value numbers among the arguments, in order
  std::vector<int> results;
  bool backward = false;
  Role role = Role::none;
  int index = 0;       // among nodes of this role
  std::string module;  // that called it, or whose backward it is; "" if unknown
};

struct JointGraph {
  std::vector<JointValue> values;
  std::vector<JointNode> nodes;
};

// The producer of each value, by value number; -1 if there is none.
std::vector<int> producers(const JointGraph& graph);

// The index of a value among its producer's results.
int result_place(const JointGraph& graph, int value);

// For every node, the nodes that use its results, with one entry per operand.
std::vector<std::vector<int>> users(const JointGraph& graph);

// The node with that role and index, or -1.
int find_node(const JointGraph& graph, Role role, int index);

// The name of a node in messages and constraints: "%12 aten::mm" by its first result, or its role, "output 0".
std::string name_of(const JointGraph& graph, int node);

// Adds an alias node after each value with several users, so that one redistribution can serve all of them. Parameters keep
// their own placement.
JointGraph with_aliases(const JointGraph& graph);

// Checks that every value is produced once and before its use, and that operands and roles are valid. Rejects collectives by
// name: placements need a single-device graph.
Status check_graph(const JointGraph& graph);

}  // namespace ordercheck::placing
