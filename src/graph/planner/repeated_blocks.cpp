#include "graph/planner/repeated_blocks.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"

namespace ordercheck::placing {
namespace {

bool is_number(const std::string& part) {
  return !part.empty() && std::ranges::all_of(part, [](unsigned char letter) { return std::isdigit(letter) != 0; });
}

// "layers.*.norm" of "layers.2.norm"; "" if the name has no number.
std::string repeated_name(const std::string& module) {
  std::vector<std::string> parts = split(module, '.');
  bool any = false;
  for (std::string& part : parts) {
    if (!is_number(part)) continue;
    part = "*";
    any = true;
  }
  return any ? join(parts, ".") : "";
}

// The constants among the arguments: values have other numbers in every block.
std::vector<std::string> constants_of(const JointNode& node) {
  std::vector<std::string> constants = node.arguments;
  for (std::string& each : constants)
    if (each.find('%') != std::string::npos) each = "%";
  return constants;
}

std::string sizes_of(const JointGraph& graph, const std::vector<int>& values) {
  std::string text;
  for (const int value : values)
    text += fmt::format("[{}]{} ", fmt::join(graph.values[value].shape, ","), graph.values[value].element_bytes);
  return text;
}

}  // namespace

std::vector<int> leader_of_nodes(const JointGraph& graph) {
  std::map<std::tuple<std::string, std::string, bool>, int> seen;  // nodes of this operator in this module, by half
  std::map<std::string, std::vector<int>> rows;
  std::vector<int> leaders;
  for (int at = 0; at < static_cast<int>(graph.nodes.size()); ++at) {
    leaders.push_back(at);
    const JointNode& node = graph.nodes[at];
    const std::string name = repeated_name(node.module);
    if (name.empty()) continue;
    const int place = seen[{node.module, node.op, node.backward}]++;
    rows[fmt::format("{} {} {} {} {} {} {} {}", name, node.op, node.backward, place, static_cast<int>(node.role),
                     constants_of(node), sizes_of(graph, node.operands), sizes_of(graph, node.results))]
        .push_back(at);
  }
  for (const auto& [key, row] : rows)
    for (std::size_t at = 2; at + 1 < row.size(); ++at) leaders[row[at]] = row[1];
  return leaders;
}

ChoiceProblem merge_unknowns(const ChoiceProblem& problem, const std::vector<int>& leaders) {
  ChoiceProblem made = problem;
  made.pairs.clear();
  for (std::size_t at = 0; at < leaders.size(); ++at) {
    if (leaders[at] == static_cast<int>(at)) continue;
    OpenChoice& leader = made.unknowns[leaders[at]];
    for (std::size_t choice = 0; choice < leader.costs.size(); ++choice)
      leader.costs[choice] = add_costs(leader.costs[choice], problem.unknowns[at].costs[choice]);
    made.unknowns[at] = {.name = problem.unknowns[at].name, .choices = {""}, .costs = {0}};
  }
  for (const auto& [pair, table] : problem.pairs) made.add_pair(leaders[pair.first], leaders[pair.second], table);
  for (WeightLimit& limit : made.limits) {
    const auto weights = std::exchange(limit.weights, {});
    for (const auto& [unknown, own] : weights) {
      std::vector<std::int64_t>& sum = limit.weights[leaders[unknown]];
      sum.resize(own.size(), 0);
      for (std::size_t choice = 0; choice < own.size(); ++choice) sum[choice] += own[choice];
    }
  }
  return made;
}

}  // namespace ordercheck::placing
