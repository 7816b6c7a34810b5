#include "placing/graph/recorded.h"

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

Status add_gradients(JointGraph& graph, const GraphRecord& record) {
  const std::size_t inputs = record.inputs.size(), parameters = record.parameters.size(), count = record.gradients.size();
  if (count != parameters && count != inputs + parameters)
    return Error{
        fmt::format("a recorded graph has {} gradients for {} inputs and {} parameters; expected one for each parameter, or "
                    "one for each of both",
                    count, inputs, parameters)};
  const std::size_t of_inputs = count - parameters;
  for (std::size_t at = 0; at < count; ++at) {
    const bool of_input = at < of_inputs;
    add_output(graph, record.gradients[at], of_input ? Role::gradient_of_input : Role::gradient_of_parameter,
               of_input ? at : at - of_inputs);
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

Result<JointGraph> joint_graph_of(const GraphRecord& record, int element_bytes) {
  JointGraph graph;
  for (const auto& shape : record.shapes) graph.values.push_back({.shape = shape, .element_bytes = element_bytes});
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
                           .backward = node.backward});
  }
  if (!in_backward) begin_backward();
  if (const Status added = add_gradients(graph, record); !added) return added.error();
  if (const Status sound = check_graph(graph); !sound) return sound.error();
  return graph;
}

}  // namespace ordercheck::placing
