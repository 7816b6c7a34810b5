#include "ranks/graph/graph.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ordercheck::ranks {
namespace {

std::vector<ValueId> defined(const std::vector<ValueId>& ids) {
  std::vector<ValueId> present;
  std::copy_if(ids.begin(), ids.end(), std::back_inserter(present), [](ValueId id) { return id != kNoValue; });
  return present;
}

std::string print(const Argument& argument) {
  if (argument.form == Argument::Form::constant) {
    std::ostringstream text;
    text << argument.constant;
    return text.str();
  }
  std::vector<std::string> names;
  for (const ValueId id : argument.values) names.push_back(id == kNoValue ? "none" : fmt::format("%{}", id));
  const std::string joined = fmt::format("{}", fmt::join(names, ", "));
  return argument.form == Argument::Form::tensor ? joined : "[" + joined + "]";
}

std::string print_arguments(const Node& node) {
  std::vector<std::string> texts;
  for (const Argument& argument : node.arguments) texts.push_back(print(argument));
  return fmt::format("{}", fmt::join(texts, ", "));
}

void describe(const std::vector<Node>& nodes, bool backward, GraphRecord& into) {
  for (const Node& node : nodes) {
    into.nodes.push_back({.op = node.name(),
                          .backward = backward,
                          .recomputed = node.recomputed,
                          .arguments = print_arguments(node),
                          .operands = operands(node),
                          .results = results(node)});
  }
}

}  // namespace

std::vector<ValueId> operands(const Node& node) {
  std::vector<ValueId> ids;
  for (const Argument& argument : node.arguments) {
    for (const ValueId id : defined(argument.values)) ids.push_back(id);
  }
  return ids;
}

std::vector<ValueId> results(const Node& node) {
  std::vector<ValueId> ids;
  for (const NodeResult& result : node.results) {
    for (const ValueId id : defined(result.values)) ids.push_back(id);
  }
  return ids;
}

bool draws(const Node& node) { return node.name() == "ordercheck::draw_seeds"; }

bool is_collective(const Node& node) {
  return node.name().starts_with("_c10d_functional::") || node.name() == "ordercheck::send" ||
         node.name() == "ordercheck::recv";
}

bool has_effect(const Node& node) { return is_collective(node) || node.op.schema().returns().empty(); }

GraphRecord describe(const Graph& graph) {
  GraphRecord record{.module = graph.region,
                     .shapes = {},
                     .inputs = graph.inputs,
                     .parameters = graph.parameters,
                     .saved = graph.saved,
                     .outputs = {graph.output},
                     .tangents = defined({graph.tangent}),
                     .gradients = defined(graph.gradients),
                     .nodes = {}};
  for (const ValueInfo& value : graph.values) record.shapes.push_back(value.sizes);
  describe(graph.forward, false, record);
  describe(graph.backward, true, record);
  return record;
}

}  // namespace ordercheck::ranks
