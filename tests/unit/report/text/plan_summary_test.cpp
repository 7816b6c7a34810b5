#include "report/text/plan_summary.h"

#include <gmock/gmock.h>

#include "unit/report/text/sample_plan.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;

TEST(PlanSummary, TellsCostsMemoryTrafficAndWhatAnAxisSplits) {
  EXPECT_EQ(render_plan_summary(sample_plan(), "auto_parallel=2"),
            R"(plan of auto_parallel=2: dp_shard 2, tp 1; costs of a machine
  a step         0.03 ms: operators 0.01 ms, redistributions 0.01 ms, 2 of them; nothing overlaps
  memory a rank  0.22 kB: parameters 0.06 kB, gradients 0.06 kB, kept for backward 0.10 kB
  sent by a rank  0.10 kB over dp_shard: 1 all_gather 0.05 kB, 1 reduce_scatter 0.05 kB
  parameter        shape  held as  dp_shard splits  tp splits
  layers.0.weight  3x4    S(0)R    tokens           nothing
dearest redistributions
     0.01 ms, 1 of layers.*.weight, backward: PR to S(0)R, reduce_scatter over dp_shard
     0.01 ms, 1 of layers.*.weight, forward: S(0)R to RR, all_gather over dp_shard
tokens are gathered over a batch axis: nowhere
without a placement rule, so every rank computes the whole: aten::topk
)");
}

// Blocks that differ in their number are one line, unless they are placed differently.
TEST(PlanSummary, CountsEqualParametersOfBlocks) {
  PlanRecord plan = sample_plan();
  for (const char* placed : {"S(0)R", "S(0)R", "S(1)R"})
    plan.nodes.push_back({.name = "parameter 9", .parameter = "layers.3.bias", .shape = {4, 4}, .results = {placed}});
  const std::string text = render_plan_summary(plan, "auto_parallel=2");
  EXPECT_THAT(text, HasSubstr("layers.*.bias (2)"));
  EXPECT_THAT(text, HasSubstr("layers.3.bias "));
}

TEST(PlanSummary, NamesWhereABatchIsGathered) {
  PlanRecord plan = sample_plan();
  EXPECT_THAT(render_plan_summary(plan, "auto_parallel=2"), HasSubstr("gathered over a batch axis: nowhere\n"));
  plan.nodes[5].module = "layers.7";
  plan.nodes[5].operands[0].wanted = "RR";
  EXPECT_THAT(render_plan_summary(plan, "auto_parallel=2"),
              HasSubstr("gathered over a batch axis: dp_shard at layers.*, backward\n"));
}

}  // namespace
}  // namespace ordercheck
