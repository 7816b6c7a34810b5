#include "ranks/graph/graph.h"

#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ordercheck::ranks {
namespace {

std::string print(const Argument& argument) {
  const auto name = [](ValueId id) { return id == kNoValue ? std::string("none") : fmt::format("%{}", id); };
  if (argument.form == Argument::Form::constant) {
    std::ostringstream text;
    text << argument.constant;
    return text.str();
  }
  if (argument.form == Argument::Form::tensor) return name(argument.values[0]);
  std::vector<std::string> names;
  for (const ValueId id : argument.values) names.push_back(name(id));
  return fmt::format("[{}]", fmt::join(names, ", "));
}

std::string print(const Node& node) {
  std::vector<std::string> arguments, returned;
  for (const Argument& argument : node.arguments) arguments.push_back(print(argument));
  for (const ValueId id : results(node)) returned.push_back(fmt::format("%{}", id));
  return fmt::format("  {}{}{}({}){}\n", fmt::join(returned, ", "), returned.empty() ? "" : " = ", node.name(),
                     fmt::join(arguments, ", "), node.recomputed ? "  # recomputed" : "");
}

std::string names(const std::vector<ValueId>& ids) {
  std::vector<std::string> text;
  for (const ValueId id : ids) text.push_back(id == kNoValue ? "none" : fmt::format("%{}", id));
  return fmt::format("{}", fmt::join(text, ", "));
}

}  // namespace

std::vector<ValueId> operands(const Node& node) {
  std::vector<ValueId> ids;
  for (const Argument& argument : node.arguments) {
    for (const ValueId id : argument.values) {
      if (id != kNoValue) ids.push_back(id);
    }
  }
  return ids;
}

std::vector<ValueId> results(const Node& node) {
  std::vector<ValueId> ids;
  for (const NodeResult& result : node.results) {
    for (const ValueId id : result.values) {
      if (id != kNoValue) ids.push_back(id);
    }
  }
  return ids;
}

bool is_collective(const Node& node) {
  return node.name().starts_with("_c10d_functional::") || node.name() == "ordercheck::send" ||
         node.name() == "ordercheck::recv";
}

bool has_effect(const Node& node) { return is_collective(node) || node.op.schema().returns().empty(); }

std::string print(const Graph& graph) {
  std::string text = fmt::format("{}: {} -> %{}\n  parameters {}\n", graph.region, names(graph.inputs), graph.output,
                                 names(graph.parameters));
  text += "forward\n";
  for (const Node& node : graph.forward) text += print(node);
  text += fmt::format("  saved {}\nbackward of %{}\n", names(graph.saved), graph.tangent);
  for (const Node& node : graph.backward) text += print(node);
  return text + fmt::format("  gradients {}\n", names(graph.gradients));
}

}  // namespace ordercheck::ranks
