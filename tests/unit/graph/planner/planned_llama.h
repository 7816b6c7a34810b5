// Planners of small graphs and of llamas, as the tests of plans ask them.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "graph/planner/placement_planner.h"
#include "unit/graph/planner/layered_llama.h"

namespace ordercheck::placing {

// Slow links and no launch, so that what is drawn is not all the same in cost.
inline Machine some_machine(const DeviceMesh& mesh) {
  return {.flops_per_us = {{8, 7.0}},
          .memory_bytes_per_us = 11,
          .reachable = 1,
          .launch_us = 0,
          .links = std::vector(mesh.size(), Link{.bytes_per_us = 3, .latency_us = 1})};
}

inline PlacementPlanner planner_of(const JointGraph& graph, const DeviceMesh& mesh) {
  return PlacementPlanner::make(graph, mesh, some_machine(mesh)).value();
}

// One product after another, each of the same square shape: each is best where it takes what the last one left.
inline JointGraph products(int count, bool same_operator) {
  GraphBuilder builder;
  int x = builder.input({4, 8});
  for (int at = 0; at < count; ++at) {
    x = builder.op("aten::mm", {x, builder.parameter({8, 8})}, {4, 8});
    if (!same_operator && at % 2 == 0) x = builder.op("aten::silu", {x}, {4, 8});
  }
  builder.output(x);
  return builder.graph();
}

// A llama that is worth distributing: bf16, with the widths of 8B.
inline JointGraph large_llama(int layers, std::int64_t samples) {
  JointGraph graph =
      LayeredLlama(layers,
                   {.samples = samples, .positions = 2048, .width = 4096, .heads = 32, .hidden = 14336, .words = 128256})
          .graph();
  for (JointValue& value : graph.values) value.element_bytes = 2;
  return graph;
}

// As torchtitan's knobs place tokens and logits: samples over dp, logits by words over tp; parameters over all ranks.
inline PlacementPlan planned(const PlacementPlanner& made, const SolveOptions& options = {}) {
  PlacementPlanner planner = made;
  Placements tokens, logits;
  for (const MeshAxis& axis : planner.mesh()) {
    const bool one = axis.size == 1, tensors = axis.name == "tp";
    tokens.push_back(one || tensors ? replicate() : shard(0));
    logits.push_back(one ? replicate() : shard(tensors ? 2 : 0));
  }
  EXPECT_TRUE(planner.pin_inputs({tokens}));
  EXPECT_TRUE(planner.pin_outputs({logits}));
  EXPECT_TRUE(planner.bound_parameter_memory());
  return planner.solve(options).value();
}

inline std::vector<std::string> forward_products(const PlacementPlanner& planner, const PlacementPlan& plan) {
  std::vector<std::string> names;
  for (std::size_t node = 0; node < plan.nodes.size(); ++node) {
    if (planner.graph().nodes[node].op == "aten::mm" && !planner.graph().nodes[node].backward)
      names.push_back(name_of(Strategy{.operands = plan.nodes[node].operands, .results = plan.nodes[node].results}));
  }
  return names;
}

// Between nodes a ninth of the speed inside one, in which the last axis is.
inline PlacementPlanner llama_planner(const DeviceMesh& mesh, std::int64_t samples) {
  Machine machine = h100(mesh);
  for (std::size_t axis = 0; axis + 1 < mesh.size(); ++axis) machine.links[axis] = {.bytes_per_us = 50e3, .latency_us = 10};
  return PlacementPlanner::make(large_llama(2, samples), mesh, machine).value();
}

// A layer's products: query, key, value, out; gate, up, down.
inline std::vector<std::string> of_two_layers(const std::string& column, const std::string& row, const std::string& head) {
  const std::vector<std::string> layer{column, column, column, row, column, column, row};
  std::vector<std::string> all = layer;
  all.insert(all.end(), layer.begin(), layer.end());
  all.push_back(head);
  return all;
}

}  // namespace ordercheck::placing
