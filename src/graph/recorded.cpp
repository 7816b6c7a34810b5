#include "graph/recorded.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"

namespace ordercheck::placing {
namespace {

void add_placeholders(JointGraph& graph, const std::vector<int>& values, Role role) {
  for (std::size_t index = 0; index < values.size(); ++index) {
    graph.nodes.push_back({.op = "placeholder",
                           .results = {values[index]},
                           .backward = role == Role::tangent,
                           .role = role,
                           .index = static_cast<int>(index)});
  }
}

void add_output(JointGraph& graph, int value, Role role, std::size_t index) {
  graph.nodes.push_back({.op = "output",
                         .arguments = {fmt::format("%{}", value)},
                         .operands = {value},
                         .backward = role != Role::output,
                         .role = role,
                         .index = static_cast<int>(index)});
}

// The graph inputs to which the record's first `count` gradients belong, matched in order and by shape; nullopt if several
// matches are possible.
std::optional<std::vector<std::size_t>> inputs_of(const GraphRecord& record, std::size_t count) {
  const auto fits = [&](std::size_t input, std::size_t at) {
    const int value = record.inputs[input], gradient = record.gradients[at];
    return record.shapes[value] == record.shapes[gradient];
  };
  std::vector<std::size_t> earliest, latest;
  for (std::size_t input = 0; input < record.inputs.size() && earliest.size() < count; ++input) {
    if (fits(input, earliest.size())) earliest.push_back(input);
  }
  for (std::size_t input = record.inputs.size(); input-- > 0 && latest.size() < count;) {
    if (fits(input, count - 1 - latest.size())) latest.insert(latest.begin(), input);
  }
  // The earliest and the latest match are equal only if the match is unique.
  if (earliest.size() != count || earliest != latest) return std::nullopt;
  return earliest;
}

Status add_gradients(JointGraph& graph, const GraphRecord& record) {
  const std::size_t parameters = record.parameters.size(), count = record.gradients.size();
  const Error unknown{fmt::format(
      "a recorded graph has {} gradients for {} inputs and {} parameters, and shapes do not tell them apart; expected one "
      "for each parameter, in order, after those of inputs",
      count, record.inputs.size(), parameters)};
  if (count < parameters) return unknown;
  const std::size_t of_inputs = count - parameters;
  const auto inputs = inputs_of(record, of_inputs);
  if (!inputs) return unknown;
  for (std::size_t at = 0; at < of_inputs; ++at)
    add_output(graph, record.gradients[at], Role::gradient_of_input, (*inputs)[at]);
  for (std::size_t at = 0; at < parameters; ++at) {
    if (record.shapes[record.gradients[of_inputs + at]] != record.shapes[record.parameters[at]]) return unknown;
    add_output(graph, record.gradients[of_inputs + at], Role::gradient_of_parameter, at);
  }
  return Done{};
}

}  // namespace

std::vector<std::string> split_arguments(const std::string& text) {
  std::vector<std::string> parts;
  int depth = 0;
  std::string part;
  for (const char letter : text) {
    if (letter == ',' && depth == 0) {
      parts.emplace_back(trim(part));
      part.clear();
      continue;
    }
    depth += letter == '[' || letter == '(' ? 1 : 0;
    depth -= letter == ']' || letter == ')' ? 1 : 0;
    part += letter;
  }
  if (!trim(part).empty()) parts.emplace_back(trim(part));
  return parts;
}

Result<JointGraph> joint_graph_of(const GraphRecord& record) {
  if (const Status named = check_graph_record(record); !named) return named.error();
  JointGraph graph;
  for (std::size_t value = 0; value < record.shapes.size(); ++value)
    graph.values.push_back({.shape = record.shapes[value], .element_bytes = record.element_bytes[value]});
  add_placeholders(graph, record.parameters, Role::parameter);
  add_placeholders(graph, record.inputs, Role::input);
  bool in_backward = false;
  const auto begin_backward = [&] {
    in_backward = true;
    for (std::size_t index = 0; index < record.outputs.size(); ++index)
      add_output(graph, record.outputs[index], Role::output, index);
    add_placeholders(graph, record.tangents, Role::tangent);
  };
  for (const GraphNodeRecord& node : record.nodes) {
    if (node.backward && !in_backward) begin_backward();
    graph.nodes.push_back({.op = node.op,
                           .arguments = split_arguments(node.arguments),
                           .operands = node.operands,
                           .results = node.results,
                           .backward = node.backward,
                           .module = node.module});
  }
  // A graph without backward nodes needs outputs and tangents too.
  if (!in_backward) begin_backward();
  if (const Status added = add_gradients(graph, record); !added) return added.error();
  if (const Status sound = check_graph(graph); !sound) return sound.error();
  return graph;
}

}  // namespace ordercheck::placing
