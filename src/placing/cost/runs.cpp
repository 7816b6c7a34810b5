#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "placing/cost/costs.h"

namespace ordercheck::placing {
namespace {

// They share their operand's memory, or are the graph's own.
bool is_free(const std::string& op) {
  static const std::set<std::string> kFree{
      "placeholder",   "output",          "alias",         "aten::view",   "aten::_unsafe_view",
      "aten::t",       "aten::transpose", "aten::permute", "aten::expand", "aten::unsqueeze",
      "aten::squeeze", "aten::slice",     "aten::select",  "aten::split",  "aten::split_with_sizes",
      "aten::detach",  "aten::alias"};
  return kFree.contains(op);
}

// Multiplications and additions of the products in an operator; 0 for what only moves or maps elements.
double product_flops(const JointNode& node, const std::vector<Shape>& operands) {
  const auto product = [](const Shape& left, const Shape& right) {
    return 2.0 * static_cast<double>(element_count(left)) * static_cast<double>(right.back());
  };
  if (node.op == "aten::mm" || node.op == "aten::bmm") return product(operands[0], operands[1]);
  if (node.op == "aten::addmm") return product(operands[1], operands[2]);
  // Scores, and their product with the values; backward has five such products.
  const bool is_forward = node.op == "aten::_scaled_dot_product_flash_attention_for_cpu";
  const bool is_backward = node.op == "aten::_scaled_dot_product_flash_attention_for_cpu_backward";
  if (!is_forward && !is_backward) return 0;
  const Shape& query = operands[is_forward ? 0 : 1];
  const Shape& key = operands[is_forward ? 1 : 2];
  const double scores = 2.0 * static_cast<double>(element_count(query)) * static_cast<double>(key[key.size() - 2]);
  return scores * (is_forward ? 2 : 5);
}

}  // namespace

Result<Nanoseconds> run_cost(const JointGraph& graph, int node, const Strategy& strategy, const DeviceMesh& mesh,
                             const Machine& machine) {
  const JointNode& run = graph.nodes[node];
  if (is_free(run.op)) return Nanoseconds{0};
  double bytes = 0;
  std::vector<Shape> operands;
  for (std::size_t at = 0; at < run.operands.size(); ++at) {
    const JointValue& value = graph.values[run.operands[at]];
    operands.push_back(local_shape(value.shape, strategy.operands[at], mesh));
    bytes += static_cast<double>(element_count(operands.back())) * value.element_bytes;
  }
  for (std::size_t at = 0; at < run.results.size(); ++at) {
    const JointValue& value = graph.values[run.results[at]];
    bytes += static_cast<double>(element_count(local_shape(value.shape, strategy.results[at], mesh))) * value.element_bytes;
  }
  double us = std::max(bytes / machine.memory_bytes_per_us / machine.reachable, machine.launch_us);
  if (const double flops = product_flops(run, operands); flops > 0) {
    const int element = graph.values[run.operands[0]].element_bytes;
    const auto peak = machine.flops_per_us.find(element);
    if (peak == machine.flops_per_us.end())
      return Error{fmt::format("the machine states no speed for elements of {} bytes, which {} multiplies", element,
                               name_of(graph, node))};
    us = std::max(us, flops / peak->second / machine.reachable);
  }
  return Nanoseconds{std::llround(us * 1000)};
}

}  // namespace ordercheck::placing
