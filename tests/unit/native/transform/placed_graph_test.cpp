#include "native/transform/placed_graph.h"

#include "graph/planner/placement_planner.h"
#include "graph/recorded.h"
#include "native/transform/redistribution.h"
#include "unit/native/graph/both_ways.h"
#include "unit/native/transform/on_device_mesh.h"

namespace ordercheck::ranks {
namespace {

using testing::HasSubstr;

const std::string kAllGather = "_c10d_functional::all_gather_into_tensor";

at::Tensor whole_numbers(at::IntArrayRef sizes, int from) {
  return at::remainder(at::arange(from, from + c10::multiply_integers(sizes), at::kDouble), 7).sub(3).reshape(sizes);
}

// Two products and a sum of squares along the way: whole numbers, whose sums have the same bits in any order.
struct Network {
  at::Tensor x = whole_numbers({6, 4}, 1);
  std::vector<at::Tensor> leaves{variable(whole_numbers({4, 8}, 2)), variable(whole_numbers({8, 5}, 3))};
  Recorded forward = [this](const std::vector<at::Tensor>& in) { return (in[0].mm(leaves[0])).pow(2).mm(leaves[1]); };

  GraphPtr traced() const {
    GraphPtr graph = record("", forward, {x}, leaves);
    optimize_traced(*graph);
    return graph;
  }
  static void optimize_traced(Graph& graph) {
    remove_dead_nodes(graph);
    merge_equal_nodes(graph);
  }
};

placing::PlacementPlanner planner_of(const Graph& graph, const placing::DeviceMesh& mesh, double link, double flops) {
  placing::Machine machine{.flops_per_us = {{8, flops}},
                           .memory_bytes_per_us = 11,
                           .reachable = 1,
                           .launch_us = 0,
                           .links = std::vector(mesh.size(), placing::Link{.bytes_per_us = link, .latency_us = 0.1})};
  return placing::PlacementPlanner::make(placing::joint_graph_of(describe(graph)).value(), mesh, machine).value();
}

Placements shards_of(const placing::Placements& placements, const placing::DeviceMesh& mesh) {
  Placements shards;
  for (std::size_t axis = 0; axis < mesh.size(); ++axis) {
    if (placements[axis].kind == placing::Placement::Kind::shard)
      shards.push_back({.axis = mesh[axis].name, .dim = placements[axis].dim});
  }
  return shards;
}

struct Planned {
  GraphPtr traced;
  placing::PlacementPlanner planner;
  placing::PlacementPlan plan;
  placing::DeviceMesh mesh;

  const placing::Placements& place(placing::Role role, int index) const {
    const int node = placing::find_node(planner.graph(), role, index);
    return placing::place_of(plan.nodes[node]);
  }
  PlacedGraphPtr graph() const {
    return c10::make_intrusive<PlacedGraph>(traced, planner.graph(), plan, mesh, CheckpointPolicy::must_recompute);
  }
};

// Whether a rank gets its pieces of what one device computes: output, and gradients of both parameters.
bool computes_as_one_device(const Planned& planned, const RankState& rank) {
  const Network network;
  const at::Tensor expected = network.forward({network.x}), tangent = whole_numbers(expected.sizes(), 5);
  expected.backward(tangent);
  const auto cut = [&](const at::Tensor& whole, placing::Role role, int index) {
    return local_piece(whole.detach(), shards_of(planned.place(role, index), planned.mesh), rank.mesh, rank.rank).contiguous();
  };
  std::vector<at::Tensor> leaves;
  for (int index = 0; index < 2; ++index)
    leaves.push_back(variable(cut(network.leaves[static_cast<std::size_t>(index)], placing::Role::parameter, index).clone()));
  const at::Tensor output = call(planned.graph(), {cut(network.x, placing::Role::input, 0)}, leaves);
  output.backward(cut(tangent, placing::Role::tangent, 0));
  bool same = same_bits(output.detach().contiguous(), cut(expected, placing::Role::output, 0));
  for (int index = 0; index < 2; ++index) {
    const auto at = static_cast<std::size_t>(index);
    same = same && same_bits(leaves[at].grad().contiguous(), cut(network.leaves[at].grad(), placing::Role::parameter, index));
  }
  return same;
}

const std::vector<placing::DeviceMesh> kPlannedMeshes{{{"dp_shard", 2}}, {{"tp", 3}}, {{"dp_shard", 2}, {"tp", 2}}};

// Links and products from nearly free to dear: plans from one that replicates to one that shards all.
TEST(PlacedGraph, EveryPlanComputesAsOneDevice) {
  std::set<std::string> plans;
  for (const placing::DeviceMesh& mesh : kPlannedMeshes) {
    for (const double link : {0.01, 1.0, 1e4}) {
      for (const double flops : {0.1, 10.0, 1e5}) {
        for (const bool bounded : {false, true}) {
          complete(ranks_of(mesh), [&](RankState& rank) {
            const GraphPtr traced = Network().traced();
            auto planner = planner_of(*traced, mesh, link, flops);
            if (bounded) ASSERT_TRUE(planner.bound_parameter_memory());
            const Planned planned{traced, planner, planner.solve().value(), mesh};
            EXPECT_TRUE(computes_as_one_device(planned, rank)) << mesh.front().name << " " << link << " " << flops;
            if (rank.rank != 0) return;
            std::string name;
            for (const placing::NodePlan& node : planned.plan.nodes) name += placing::name_of(placing::place_of(node)) + " ";
            plans.insert(name);
          });
        }
      }
    }
  }
  EXPECT_GE(plans.size(), 6U);
}

// A plan that claims a partial sum to be whole is what verify_plan refuses; run all the same, it gives other numbers.
TEST(PlacedGraph, APlanThatLosesASumIsSeen) {
  const placing::DeviceMesh mesh{{"dp_shard", 2}};
  complete(ranks_of(mesh), [&](RankState& rank) {
    const GraphPtr traced = Network().traced();
    auto planner = planner_of(*traced, mesh, 1e4, 0.1);
    ASSERT_TRUE(planner.pin_inputs({placing::Placements{placing::shard(0)}}));
    Planned planned{traced, planner, planner.solve().value(), mesh};
    ASSERT_TRUE(computes_as_one_device(planned, rank));
    int lost = 0;
    for (placing::NodePlan& node : planned.plan.nodes) {
      for (std::size_t at = 0; at < node.sources.size(); ++at) {
        if (!placing::has_partial(node.sources[at]) || placing::has_partial(node.operands[at])) continue;
        node.sources[at] = {placing::replicate()};
        ++lost;
      }
    }
    ASSERT_GT(lost, 0);
    EXPECT_FALSE(placing::verify_plan(planner.graph(), mesh, planner.machine(), planner.rules(), planned.plan));
    EXPECT_FALSE(computes_as_one_device(planned, rank));
  });
}

TEST(PlacedGraph, RefusesPiecesOfOtherSizes) {
  const placing::DeviceMesh mesh{{"dp_shard", 2}};
  complete(ranks_of(mesh), [&](RankState&) {
    const Network network;
    const GraphPtr traced = network.traced();
    auto planner = planner_of(*traced, mesh, 1, 1);
    ASSERT_TRUE(planner.pin_inputs({placing::Placements{placing::shard(0)}}));
    const Planned planned{traced, planner, planner.solve().value(), mesh};
    try {
      call(planned.graph(), {network.x}, network.leaves);
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(),
                  HasSubstr("input 0 of a model placed by plan: expected this rank's piece to be [3, 4], got [6, 4]"));
    }
  });
}

TEST(PlacedGraph, RefusesAPlanOfAnotherGraph) {
  const placing::DeviceMesh mesh{{"dp_shard", 2}};
  const GraphPtr traced = Network().traced();
  const auto planner = planner_of(*traced, mesh, 1, 1);
  placing::JointGraph other = planner.graph();
  for (placing::JointNode& node : other.nodes) {
    if (node.op == "aten::mm") node.op = "aten::bmm";
  }
  EXPECT_THROW(PlacedGraph(traced, other, planner.solve().value(), mesh, CheckpointPolicy::must_recompute), std::runtime_error);
}

// Tagged to be made again, a parameter that is gathered is gathered twice: in forward, and in backward, where a capture is cut in two.
TEST(PlacedGraph, AGatheredParameterCarriesItsTag) {
  const placing::DeviceMesh mesh{{"dp_shard", 2}};
  for (const CheckpointPolicy policy : {CheckpointPolicy::must_recompute, CheckpointPolicy::must_save}) {
    complete(ranks_of(mesh), [&](RankState& rank) {
      const GraphPtr traced = Network().traced();
      auto planner = planner_of(*traced, mesh, 1e4, 0.1);
      ASSERT_TRUE(planner.bound_parameter_memory());
      for (std::size_t node = 0; node < planner.graph().nodes.size(); ++node) {
        const placing::JointNode& product = planner.graph().nodes[node];
        if (product.op == "aten::mm" && !product.backward)
          ASSERT_TRUE(planner.pin(static_cast<int>(node), {placing::shard(0)}));
      }
      ASSERT_TRUE(planner.pin_inputs({placing::Placements{placing::shard(0)}}));
      const Planned planned{traced, planner, planner.solve().value(), mesh};
      const auto graph = c10::make_intrusive<PlacedGraph>(traced, planner.graph(), planned.plan, mesh, policy);
      const Network network;
      std::vector<at::Tensor> leaves;
      for (int index = 0; index < 2; ++index)
        leaves.push_back(
            variable(local_piece(network.leaves[static_cast<std::size_t>(index)].detach(),
                                 shards_of(planned.place(placing::Role::parameter, index), mesh), rank.mesh, rank.rank)
                         .clone()));
      const at::Tensor x = network.x.slice(0, rank.rank * 3, rank.rank * 3 + 3);
      const GraphPtr captured = record("", [&](const auto& in) { return call(graph, in, leaves); }, {x}, leaves);
      int gathers = 0;
      for (const Node& node : captured->forward) {
        if (node.name() != kAllGather) continue;
        ++gathers;
        EXPECT_TRUE(node.unshards);
        EXPECT_EQ(node.policy, policy);
      }
      EXPECT_EQ(gathers, 2);
    });
  }
}

}  // namespace
}  // namespace ordercheck::ranks
