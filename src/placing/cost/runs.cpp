#include <cmath>

#include "placing/cost/costs.h"
#include "placing/cost/operators.h"

namespace ordercheck::placing {

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
  const int element = run.operands.empty() ? 0 : graph.values[run.operands[0]].element_bytes;
  const auto us = kernel_us(run.op, operands, bytes, element, machine);
  if (!us) return Error{name_of(graph, node) + ": " + us.error().message};
  return Nanoseconds{std::llround(*us * 1000)};
}

}  // namespace ordercheck::placing
