// How the time to place a llama grows with its layers, with alike nodes planned once and with every node on its own, and with the axes
// of the mesh.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "clocks.h"
#include "placing/plan/placement_planner.h"
#include "unit/placing/plan/layered_llama.h"

namespace ordercheck::placing {
namespace {

struct Measured {
  PlanSize size;
  Nanoseconds cost = 0;
  double seconds = 0;  // from the graph to the verified plan
};

Result<Measured> measure(int layers, const DeviceMesh& mesh, const SolveOptions& options) {
  const JointGraph graph = LayeredLlama(layers).graph();
  const double began = bench::wall_seconds();
  auto planner = PlacementPlanner::make(graph, mesh, h100(mesh));
  if (!planner) return planner.error();
  if (const Status pinned = planner->pin_inputs({std::nullopt}); !pinned) return pinned.error();
  if (const Status bounded = planner->bound_parameter_memory(); !bounded) return bounded.error();
  const auto plan = planner->solve(options);
  if (!plan) return plan.error();
  return Measured{.size = plan->size, .cost = plan->cost(), .seconds = bench::wall_seconds() - began};
}

int print_growth_with_layers() {
  const DeviceMesh mesh{{"dp_shard", 4}, {"tp", 2}};
  fmt::print("layers  nodes  | alike: unknowns  variables  seconds | each: unknowns  variables  seconds | costs\n");
  for (const int layers : {1, 2, 4, 8, 16, 32}) {
    const auto alike = measure(layers, mesh, {}), each = measure(layers, mesh, {.alike_within = std::nullopt});
    if (!alike || !each) {
      fmt::print(stderr, "{}\n", (alike ? each : alike).error().message);
      return 1;
    }
    fmt::print("{:6} {:6}  | {:15} {:10} {:8.2f} | {:14} {:10} {:8.2f} | {}\n", layers, alike->size.nodes, alike->size.unknowns,
               alike->size.variables, alike->seconds, each->size.unknowns, each->size.variables, each->seconds,
               alike->cost == each->cost ? "equal" : "differ");
  }
  return 0;
}

int print_growth_with_axes() {
  const DeviceMesh axes{{"dp_replicate", 2}, {"dp_shard", 2}, {"tp", 2}};
  fmt::print("\naxes  nodes  unknowns  variables  seconds\n");
  for (std::size_t count = 1; count <= axes.size(); ++count) {
    const auto measured = measure(2, DeviceMesh(axes.end() - static_cast<std::ptrdiff_t>(count), axes.end()), {});
    if (!measured) {
      fmt::print(stderr, "{}\n", measured.error().message);
      return 1;
    }
    fmt::print("{:4} {:6}  {:8} {:10} {:8.2f}\n", count, measured->size.nodes, measured->size.unknowns,
               measured->size.variables, measured->seconds);
  }
  return 0;
}

}  // namespace
}  // namespace ordercheck::placing

int main() {
  const int failed = ordercheck::placing::print_growth_with_layers();
  return failed != 0 ? failed : ordercheck::placing::print_growth_with_axes();
}
