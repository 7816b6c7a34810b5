#include "ranks/placing/known_plans.h"

#include <gtest/gtest.h>

#include "unit/placing/graph_builder.h"

namespace ordercheck::ranks {
namespace {

placing::PlacementPlanner planner(std::int64_t columns, double link = 3) {
  const placing::DeviceMesh mesh{{"dp_shard", 2}};
  placing::GraphBuilder builder;
  const int x = builder.input({8, 4});
  builder.output(builder.op("aten::mm", {x, builder.parameter({4, columns})}, {8, columns}));
  placing::Machine machine = placing::h100(mesh);
  machine.links.front().bytes_per_us = link;
  return placing::PlacementPlanner::make(builder.graph(), mesh, machine).value();
}

TEST(KnownPlans, AreThePlannersOwn) {
  for (int asked = 0; asked < 2; ++asked) {
    for (const std::int64_t columns : {6, 8}) {
      const auto plan = plan_once(planner(columns));
      EXPECT_EQ(plan.value().nodes, planner(columns).solve().value().nodes);
    }
  }
}

// Another pin, bound, machine or count of what is ahead is another question.
TEST(KnownPlans, AreForOneQuestion) {
  const auto plain = plan_once(planner(8)).value();
  auto pinned = planner(8);
  const int parameter = placing::find_node(pinned.graph(), placing::Role::parameter, 0);
  const placing::Placements other{plain.nodes[parameter].results.front().front() == placing::shard(1) ? placing::shard(0)
                                                                                                      : placing::shard(1)};
  ASSERT_TRUE(pinned.pin(parameter, other));
  EXPECT_EQ(plan_once(pinned).value().nodes[parameter].results.front(), other);
  const auto fast = planner(8, 1e9);
  EXPECT_EQ(plan_once(fast).value().cost(), fast.solve().value().cost());
  const auto gathering = [](int percent) {
    auto asked = planner(8);
    const auto pin = [&](placing::Role role) {
      return asked.pin(placing::find_node(asked.graph(), role, 0), {placing::shard(0)});
    };
    EXPECT_TRUE(pin(placing::Role::parameter) && pin(placing::Role::output) && asked.count_prefetched(percent));
    return plan_once(asked).value();
  };
  EXPECT_LT(gathering(0).objective, gathering(100).objective);
  EXPECT_EQ(plan_once(planner(8)).value().nodes, plain.nodes);
}

TEST(KnownPlans, AQuestionWithoutAPlanIsAnsweredSoAgain) {
  const placing::DeviceMesh mesh{{"dp_shard", 2}};
  placing::GraphBuilder builder;
  const int weight = builder.parameter({4, 4});
  builder.output(builder.op("aten::mm", {builder.input({4, 4}), weight}, {4, 4}));
  builder.gradient(weight, 0);
  auto impossible = placing::PlacementPlanner::make(builder.graph(), mesh, placing::h100(mesh)).value();
  const auto pin = [&](placing::Role role, int dim) {
    return static_cast<bool>(impossible.pin(placing::find_node(impossible.graph(), role, 0), {placing::shard(dim)}));
  };
  ASSERT_TRUE(pin(placing::Role::parameter, 0));
  ASSERT_TRUE(pin(placing::Role::gradient_of_parameter, 1));
  for (int asked = 0; asked < 2; ++asked) {
    const auto plan = plan_once(impossible);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().message, impossible.solve().error().message);
  }
}

}  // namespace
}  // namespace ordercheck::ranks
