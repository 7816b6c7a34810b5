// The joint forward and backward graph of one step, in which every value has its global shape: what placements are planned over.
//
// Nodes stand in an order in which they can be run. Placeholders have no operands; an output node takes one value and hands it out.
// Written by `joint_graph_of` or by hand, then never changed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "placing/graph/placement.h"

namespace ordercheck::placing {

// What a node is for the caller of the graph, and which of its kind. An output of a `gradient_of_*` role pairs with the placeholder
// of that role and index, a `tangent` with the `output` of its index.
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
  std::string op;                      // "aten::mm"; "placeholder", "output" and "alias" are the graph's own
  std::vector<std::string> arguments;  // as they were handed in, one each: "%1", "[2, 3]", "-1"
  std::vector<int> operands;           // values, in the order in which arguments name them
  std::vector<int> results;
  bool backward = false;
  Role role = Role::none;
  int index = 0;  // among those of its role
};

struct JointGraph {
  std::vector<JointValue> values;
  std::vector<JointNode> nodes;
};

// The node that makes each value, by number of the value; -1 for a value that nobody makes.
std::vector<int> producers(const JointGraph& graph);

// The place of a value among its producer's results.
int result_place(const JointGraph& graph, int value);

// For every node, the nodes that take its results: one entry for every operand.
std::vector<std::vector<int>> users(const JointGraph& graph);

// The node of that role and index, or -1.
int find_node(const JointGraph& graph, Role role, int index);

// "%12 aten::mm": how messages and constraints name a node, after its first result; "output 0" and the like where it has a role.
std::string name_of(const JointGraph& graph, int node);

// The same graph, with a node that does nothing behind each value that several operands take: there the value can be moved once for
// all of them. Parameters keep their own place.
JointGraph with_aliases(const JointGraph& graph);

// Every value is made once and before it is used, operands and roles are sound, and no node is a collective. Placements are for a
// graph of one device: one that already talks to others is refused by the name of the operator.
Status check_graph(const JointGraph& graph);

}  // namespace ordercheck::placing
