#include "ranks/graph/auto_buckets.h"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "ranks/graph/sharding_collectives.h"

namespace ordercheck::ranks {
namespace {

bool multiplies_matrices(const Node& node) {
  const std::string& name = node.name();
  return name == "aten::mm" || name == "aten::bmm" || name == "aten::addmm" || name == "aten::baddbmm";
}

// Of a product of which `out` is the result: each element is a sum over the last dim of what is multiplied from the left.
double flops_of(const Graph& graph, const Node& node) {
  const std::vector<ValueId> in = operands(node);
  const std::size_t left = in.size() == 3 ? 1 : 0;  // behind the bias
  const ValueInfo& out = graph.values[results(node).front()];
  const double elements = static_cast<double>(out.bytes) / static_cast<double>(c10::elementSize(out.dtype));
  return 2 * elements * static_cast<double>(graph.values[in[left]].sizes.back());
}

struct Step {
  ShardingCollective gather;
  std::int64_t bytes = 0;  // gathered
  double compute = 0;      // until the next one is read
};

std::vector<Step> steps_of(const Graph& graph, const BucketModel& model) {
  std::vector<Step> steps;
  for (const ShardingCollective& gather : parameter_gathers(graph, graph.forward))
    if (gather.bucket == kAutoBucket)
      steps.push_back({.gather = gather, .bytes = graph.values[results(graph.forward[gather.wait]).front()].bytes});
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::size_t end = i + 1 < steps.size() ? steps[i + 1].gather.start : graph.forward.size();
    for (std::size_t at = steps[i].gather.start; at < end; ++at)
      steps[i].compute += compute_time(graph, graph.forward[at], model);
  }
  return steps;
}

}  // namespace

double compute_time(const Graph& graph, const Node& node, const BucketModel& model) {
  if (is_collective(node) || node.unshards || results(node).empty() || graph.values[results(node).front()].is_view) return 0;
  double moved = 0;
  for (const ValueId id : operands(node)) moved += static_cast<double>(graph.values[id].bytes);
  for (const ValueId id : results(node)) moved += static_cast<double>(graph.values[id].bytes);
  const double moving = moved / model.memory_bytes;
  const double multiplying = multiplies_matrices(node) ? flops_of(graph, node) / model.flops : 0;
  return std::max({model.launch, moving, multiplying});
}

void choose_buckets_by(Graph& graph, const BucketModel& model) {
  std::map<std::size_t, std::string> name_of_parameter;
  double hidden_behind = 0, computed = 0;
  std::int64_t held = 0;
  int number = -1;
  for (const Step& step : steps_of(graph, model)) {
    const double taken = model.collective_latency + static_cast<double>(held + step.bytes) / model.link_bytes;
    if (number < 0 || taken > hidden_behind || held + step.bytes > model.most_bytes) {
      ++number;
      hidden_behind = computed;
      held = 0;
      computed = 0;
    }
    held += step.bytes;
    computed += step.compute;
    name_of_parameter[step.gather.parameter] = fmt::format("{}.{}", kAutoBucket, number);
  }
  for (auto* nodes : {&graph.forward, &graph.backward})
    for (const ShardingCollective& gather : parameter_gathers(graph, *nodes))
      if (gather.bucket == kAutoBucket)
        (*nodes)[gather.start].bucket = name_of_parameter.contains(gather.parameter) ? name_of_parameter[gather.parameter] : "";
}

}  // namespace ordercheck::ranks
