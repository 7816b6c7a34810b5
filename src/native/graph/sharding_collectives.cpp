#include "native/graph/sharding_collectives.h"

#include <algorithm>
#include <optional>

#include "native/graph/node_builder.h"

namespace ordercheck::ranks {
namespace {

std::optional<std::size_t> place_in(const std::vector<ValueId>& all, ValueId id) {
  const auto found = std::ranges::find(all, id);
  return found == all.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - all.begin()));
}

// Returns the index in graph.parameters of the parameter that an all-gather's operand derives from by one-operand operators;
// nullopt if it does not.
std::optional<std::size_t> parameter_behind(const Graph& graph, const std::vector<Node>& nodes, const ValueUses& uses,
                                            ValueId id) {
  while (true) {
    if (const auto parameter = place_in(graph.parameters, id)) return parameter;
    const auto maker = uses.maker(id);
    if (!maker || is_collective(nodes[*maker]) || operands(nodes[*maker]).size() != 1) return std::nullopt;
    id = operands(nodes[*maker]).front();
  }
}

std::optional<std::size_t> only_wait(const std::vector<Node>& nodes, const ValueUses& uses, const Node& start) {
  const auto& readers = uses.readers(results(start).front());
  if (readers.size() != 1 || nodes[readers.front()].name() != kWait) return std::nullopt;
  return readers.front();
}

// Follows the result of a reduce-scatter through one-operand operators to a parameter's gradient and fills in `found`. False if
// it leads elsewhere or has another reader.
bool follow_to_gradient(const Graph& graph, const std::vector<Node>& nodes, const ValueUses& uses, ShardingCollective& found) {
  ValueId id = results(nodes[found.wait]).front();
  const std::vector<ValueId> of_parameters(graph.gradients.begin() + static_cast<std::ptrdiff_t>(graph.inputs.size()),
                                           graph.gradients.end());
  while (true) {
    const auto& readers = uses.readers(id);
    if (const auto parameter = place_in(of_parameters, id)) {
      found.parameter = *parameter;
      return readers.empty();
    }
    if (readers.size() != 1) return false;
    const Node& next = nodes[readers.front()];
    if (operands(next).size() != 1 || results(next).size() != 1) return false;
    found.to_gradient.push_back(readers.front());
    id = results(next).front();
  }
}

}  // namespace

std::vector<ShardingCollective> parameter_gathers(const Graph& graph, const std::vector<Node>& nodes) {
  const ValueUses uses(nodes);
  std::vector<ShardingCollective> found;
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    const Node& node = nodes[at];
    if (node.name() != kGather || !node.unshards) continue;
    const ValueId operand = operands(node).front();
    const auto parameter = parameter_behind(graph, nodes, uses, operand);
    const auto wait = only_wait(nodes, uses, node);
    if (!parameter || !wait) continue;
    found.push_back({.start = at,
                     .wait = *wait,
                     .parameter = *parameter,
                     .bucket = node.bucket,
                     .group = node.arguments[2].constant.toStringRef(),
                     .dtype = graph.values[operand].dtype,
                     .to_gradient = {}});
  }
  return found;
}

std::vector<ShardingCollective> gradient_scatters(const Graph& graph, const std::vector<std::string>& bucket_of_parameter) {
  const std::vector<Node>& nodes = graph.backward;
  const ValueUses uses(nodes);
  std::vector<ShardingCollective> found;
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    const Node& node = nodes[at];
    if (node.name() != kReduceScatter) continue;
    const auto wait = only_wait(nodes, uses, node);
    if (!wait) continue;
    ShardingCollective one{.start = at,
                           .wait = *wait,
                           .bucket = "",
                           .group = node.arguments[3].constant.toStringRef(),
                           .dtype = graph.values[operands(node).front()].dtype,
                           .to_gradient = {}};
    if (!follow_to_gradient(graph, nodes, uses, one)) continue;
    one.bucket = bucket_of_parameter.at(one.parameter);
    found.push_back(std::move(one));
  }
  return found;
}

namespace {

thread_local const UnshardScope* unsharding = nullptr;

}  // namespace

UnshardScope::UnshardScope(CheckpointPolicy policy_of, std::string bucket_of)
    : outer_(unsharding), policy(policy_of), bucket(std::move(bucket_of)) {
  unsharding = this;
}

UnshardScope::~UnshardScope() { unsharding = outer_; }

const UnshardScope* unsharding_now() { return unsharding; }

}  // namespace ordercheck::ranks
