#include "graph/planner/plan_record_of.h"

#include <gmock/gmock.h>

#include "graph/planner/training_rules.h"
#include "unit/graph/graph_builder.h"

namespace ordercheck::placing {
namespace {

PlacementPlanner planner_of_a_product() {
  GraphBuilder builder;
  const int x = builder.input({8, 4}), weight = builder.parameter({4, 6});
  builder.output(builder.op("aten::mm", {x, weight}, {8, 6}));
  auto planner = PlacementPlanner::make(builder.graph(), {{"dp_shard", 2}}, h100({{"dp_shard", 2}})).value();
  EXPECT_TRUE(state_training_rules(planner, {.batch_axes = {"dp_shard"}, .has_samples = {true}}));
  return planner;
}

TEST(PlanRecordOf, HasWhatThePlanHas) {
  const PlacementPlanner planner = planner_of_a_product();
  const PlacementPlan plan = planner.solve().value();
  const PlanRecord record = plan_record(planner, plan, {"layer.weight"});
  ASSERT_EQ(record.nodes.size(), planner.graph().nodes.size());
  EXPECT_EQ(record.mesh, (std::vector<std::pair<std::string, int>>{{"dp_shard", 2}}));
  Nanoseconds run = 0, move = 0;
  int parameters = 0;
  for (const PlanNodeRecord& node : record.nodes) {
    run += node.run_ns;
    for (const PlanOperandRecord& operand : node.operands) {
      move += operand.move_ns;
      EXPECT_EQ(operand.move_ns == 0, operand.source == operand.wanted);
    }
    parameters += node.parameter == "layer.weight" ? 1 : 0;
  }
  EXPECT_EQ(run, plan.run_cost);
  EXPECT_EQ(move, plan.move_cost);
  EXPECT_EQ(parameters, 1);
}

}  // namespace
}  // namespace ordercheck::placing
