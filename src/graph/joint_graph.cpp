#include "graph/joint_graph.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace ordercheck::placing {
namespace {

const std::map<Role, const char*> kRoleNames{
    {Role::parameter, "parameter"},
    {Role::input, "input"},
    {Role::tangent, "tangent"},
    {Role::output, "output"},
    {Role::gradient_of_parameter, "gradient of parameter"},
    {Role::gradient_of_input, "gradient of input"},
};

bool is_collective(const std::string& op) {
  return op.starts_with("_c10d_functional::") || op.starts_with("c10d::") || op == "ordercheck::send" ||
         op == "ordercheck::recv";
}

// Constants and operands are distinguished by argument text, so rename the operand there too.
void replace_operand(JointNode& node, int before, int after) { std::ranges::replace(node.operands, before, after); }

}  // namespace

std::vector<int> producers(const JointGraph& graph) {
  std::vector<int> made_by(graph.values.size(), -1);
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
    for (const int value : graph.nodes[node].results) made_by[value] = static_cast<int>(node);
  }
  return made_by;
}

int result_place(const JointGraph& graph, int value) {
  for (const JointNode& node : graph.nodes) {
    const auto found = std::ranges::find(node.results, value);
    if (found != node.results.end()) return static_cast<int>(found - node.results.begin());
  }
  return -1;
}

std::vector<std::vector<int>> users(const JointGraph& graph) {
  const std::vector<int> made_by = producers(graph);
  std::vector<std::vector<int>> taken_by(graph.nodes.size());
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
    for (const int value : graph.nodes[node].operands) taken_by[made_by[value]].push_back(static_cast<int>(node));
  }
  return taken_by;
}

int find_node(const JointGraph& graph, Role role, int index) {
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
    if (graph.nodes[node].role == role && graph.nodes[node].index == index) return static_cast<int>(node);
  }
  return -1;
}

std::string name_of(const JointGraph& graph, int node) {
  const JointNode& named = graph.nodes[node];
  if (const auto role = kRoleNames.find(named.role); role != kRoleNames.end())
    return fmt::format("{} {}", role->second, named.index);
  return named.results.empty() ? named.op : fmt::format("%{} {}", named.results.front(), named.op);
}

JointGraph with_aliases(const JointGraph& graph) {
  std::vector<int> takers(graph.values.size(), 0);
  for (const JointNode& node : graph.nodes) {
    for (const int value : node.operands) ++takers[value];
  }
  JointGraph made{.values = graph.values, .nodes = {}};
  std::map<int, int> alias_of;
  for (const JointNode& node : graph.nodes) {
    JointNode copy = node;
    // A set: a node that uses a value twice needs one alias.
    const std::set<int> taken(node.operands.begin(), node.operands.end());
    for (const int value : taken) {
      if (takers[value] < 2) continue;
      auto alias = alias_of.find(value);
      if (alias == alias_of.end()) {
        const int result = static_cast<int>(made.values.size());
        const JointValue same = made.values[value];
        made.values.push_back(same);
        made.nodes.push_back({.op = "alias",
                              .arguments = {fmt::format("%{}", value)},
                              .operands = {value},
                              .results = {result},
                              .backward = node.backward,
                              .module = node.module});
        alias = alias_of.emplace(value, result).first;
      }
      replace_operand(copy, value, alias->second);
    }
    made.nodes.push_back(std::move(copy));
  }
  return made;
}

Status check_graph(const JointGraph& graph) {
  const int count = static_cast<int>(graph.values.size());
  std::set<int> made;
  std::set<std::pair<Role, int>> roles;
  for (std::size_t at = 0; at < graph.nodes.size(); ++at) {
    const JointNode& node = graph.nodes[at];
    if (is_collective(node.op))
      return Error{
          fmt::format("the graph to place holds the collective {}; expected the graph of one device, before any transform that "
                      "distributes it",
                      node.op)};
    for (const int value : node.operands) {
      if (!made.contains(value))
        return Error{fmt::format("node {} ({}) takes %{}, which no node before it makes", at, node.op, value)};
    }
    for (const int value : node.results) {
      if (value < 0 || value >= count || !made.insert(value).second)
        return Error{
            fmt::format("node {} ({}) makes %{}: expected a value of the graph that is made once", at, node.op, value)};
    }
    if (node.op == "output" && (node.operands.size() != 1 || !node.results.empty()))
      return Error{fmt::format("node {} (output): expected one operand and no result", at)};
    if (node.role != Role::none && !roles.emplace(node.role, node.index).second)
      return Error{fmt::format("two nodes have the role {}; expected one", name_of(graph, static_cast<int>(at)))};
  }
  return Done{};
}

}  // namespace ordercheck::placing
