#include "native/graph/graph.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "native/module/rank.h"
#include "stack/mesh.h"

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

std::string print(CheckpointPolicy policy) {
  switch (policy) {
    case CheckpointPolicy::by_cost: break;
    case CheckpointPolicy::must_save: return "must_save";
    case CheckpointPolicy::must_recompute: return "must_recompute";
  }
  return "";
}

// Returns the process group of a collective or message, which is the operator's last argument.
std::string group_of(const Node& node) {
  const bool sends = is_collective(node) && !node.arguments.empty() && node.arguments.back().constant.isString();
  return sends ? node.arguments.back().constant.toStringRef() : "";
}

int ranks_of(const std::string& group) {
  const RankState* rank = find_rank();
  if (group.empty() || rank == nullptr) return 0;
  return group == "world" ? world_size(rank->mesh) : degree_of(rank->mesh, group);
}

void describe(const Graph& graph, const std::vector<Node>& nodes, bool backward, GraphRecord& into) {
  for (const Node& node : nodes) {
    const std::string group = group_of(node);
    into.nodes.push_back({.op = node.name(),
                          .backward = backward,
                          .recomputed = node.recomputed,
                          .policy = print(node.policy),
                          .unshards = node.unshards,
                          .bucket = node.bucket,
                          .group = group,
                          .ranks = ranks_of(group),
                          .arguments = print_arguments(node),
                          .operands = operands(node),
                          .results = results(node)});
    const std::vector<ValueId> of = operands(node);
    for (const ValueId id : results(node))
      if (graph.values[id].is_view && !of.empty()) into.view_of[static_cast<std::size_t>(id)] = of.front();
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

c10::IValue argument_of(const Argument& argument, const std::function<at::Tensor(ValueId)>& tensor) {
  const auto present = [&](ValueId id) { return id == kNoValue ? at::Tensor() : tensor(id); };
  switch (argument.form) {
    case Argument::Form::constant: return argument.constant;
    case Argument::Form::tensor: return present(argument.values[0]);
    case Argument::Form::tensors: {
      c10::List<at::Tensor> list;
      for (const ValueId id : argument.values) list.push_back(present(id));
      return list;
    }
    case Argument::Form::optional_tensors: {
      c10::List<std::optional<at::Tensor>> list;
      for (const ValueId id : argument.values)
        list.push_back(id == kNoValue ? std::nullopt : std::optional<at::Tensor>(tensor(id)));
      return list;
    }
  }
  return {};
}

std::vector<ValueId> read_by_backward(const Graph& graph) {
  std::set<ValueId> of_forward(graph.inputs.begin(), graph.inputs.end());
  of_forward.insert(graph.parameters.begin(), graph.parameters.end());
  for (const Node& node : graph.forward)
    for (const ValueId id : results(node)) of_forward.insert(id);
  std::set<ValueId> read(graph.gradients.begin(), graph.gradients.end());
  for (const Node& node : graph.backward)
    for (const ValueId id : operands(node)) read.insert(id);
  std::vector<ValueId> both;
  std::ranges::set_intersection(of_forward, read, std::back_inserter(both));
  return both;
}

bool draws(const Node& node) { return node.name() == "ordercheck::draw_seeds"; }

bool is_collective(const Node& node) {
  return node.name().starts_with("_c10d_functional::") || node.name() == "ordercheck::send" ||
         node.name() == "ordercheck::recv";
}

bool has_effect(const Node& node) { return is_collective(node) || node.op.schema().returns().empty(); }

GraphRecord describe(const Graph& graph) {
  GraphRecord record{.module = graph.region,
                     .passes = graph.passes,
                     .shapes = {},
                     .element_bytes = {},
                     .view_of = {},
                     .inputs = graph.inputs,
                     .parameters = graph.parameters,
                     .saved = graph.saved,
                     .outputs = {graph.output},
                     .tangents = defined({graph.tangent}),
                     .gradients = defined(graph.gradients),
                     .nodes = {}};
  for (const ValueInfo& value : graph.values) {
    record.shapes.push_back(value.sizes);
    record.element_bytes.push_back(static_cast<int>(c10::elementSize(value.dtype)));
  }
  record.view_of.assign(graph.values.size(), -1);
  describe(graph, graph.forward, false, record);
  describe(graph, graph.backward, true, record);
  return record;
}

}  // namespace ordercheck::ranks
