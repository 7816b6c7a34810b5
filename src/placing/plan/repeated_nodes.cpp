#include "placing/plan/repeated_nodes.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ordercheck::placing {
namespace {

std::string constants_of(const JointNode& node) {
  std::string text;
  for (const std::string& argument : node.arguments)
    text += argument.find('%') == std::string::npos ? argument + ";" : "value;";
  return text;
}

std::string look_of(const JointGraph& graph, const JointNode& node, const std::string& mark) {
  std::string text =
      fmt::format("{}|{}|{}|{}|{}|", node.op, constants_of(node), node.backward, static_cast<int>(node.role), mark);
  for (const std::vector<int>* side : {&node.operands, &node.results}) {
    for (const int value : *side) text += fmt::format("{}x{} ", graph.values[value].shape, graph.values[value].element_bytes);
    text += '|';
  }
  return text;
}

// Equal keys get equal numbers, the first key 0.
template <class Key>
std::vector<int> numbered(const std::vector<Key>& keys) {
  std::map<Key, int> numbers;
  std::vector<int> classes;
  for (const Key& key : keys) classes.push_back(numbers.emplace(key, static_cast<int>(numbers.size())).first->second);
  return classes;
}

}  // namespace

std::vector<int> alike_nodes(const JointGraph& graph, const std::vector<std::pair<int, int>>& pairs,
                             const std::vector<std::string>& marks, int radius) {
  const std::vector<int> made_by = producers(graph);
  std::vector<int> place(graph.values.size(), 0);
  std::vector<std::string> looks;
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
    looks.push_back(look_of(graph, graph.nodes[node], marks[node]));
    const std::vector<int>& results = graph.nodes[node].results;
    for (std::size_t at = 0; at < results.size(); ++at) place[results[at]] = static_cast<int>(at);
  }
  std::vector<int> classes = numbered(looks);
  for (int round = 0; round < radius; ++round) {
    // Own class; then of each operand in order; then of users and partners in any order.
    std::vector<std::vector<int>> keys(graph.nodes.size());
    std::vector<std::vector<std::vector<int>>> around(graph.nodes.size());
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
      keys[node].push_back(classes[node]);
      const std::vector<int>& operands = graph.nodes[node].operands;
      for (std::size_t at = 0; at < operands.size(); ++at) {
        const int producer = made_by[operands[at]];
        keys[node].insert(keys[node].end(), {classes[producer], place[operands[at]]});
        around[producer].push_back({classes[node], static_cast<int>(at), place[operands[at]]});
      }
    }
    for (const auto& [one, other] : pairs) {
      around[one].push_back({-1, classes[other]});
      around[other].push_back({-1, classes[one]});
    }
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
      std::ranges::sort(around[node]);
      for (const std::vector<int>& each : around[node]) {
        keys[node].push_back(-2);
        keys[node].insert(keys[node].end(), each.begin(), each.end());
      }
    }
    classes = numbered(keys);
  }
  return classes;
}

}  // namespace ordercheck::placing
