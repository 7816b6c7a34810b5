#include "native/graph/sharding_collectives.h"

#include "unit/native/graph/both_ways.h"

namespace ordercheck::ranks {
namespace {

TEST(UnshardScope, TheInnermostCounts) {
  EXPECT_FALSE(unsharding_now());
  {
    const UnshardScope outer(CheckpointPolicy::must_save, "a");
    {
      const UnshardScope inner(CheckpointPolicy::must_recompute);
      EXPECT_EQ(unsharding_now()->policy, CheckpointPolicy::must_recompute);
      EXPECT_EQ(unsharding_now()->bucket, "");
    }
    EXPECT_EQ(unsharding_now()->policy, CheckpointPolicy::must_save);
    EXPECT_EQ(unsharding_now()->bucket, "a");
  }
  EXPECT_FALSE(unsharding_now());
}

TEST(UnshardScope, MarksWhatIsRecordedMeanwhileAndNothingElse) {
  const GraphPtr graph = record("a region",
                                [](const Tensors& in) {
                                  const at::Tensor before = in[0].exp();
                                  const UnshardScope scope(CheckpointPolicy::must_save);
                                  return before.sin();
                                },
                                {variable(numbers({2, 2}, 0))}, {});
  for (const Node& node : graph->forward) {
    EXPECT_EQ(node.unshards, node.name() == "aten::sin") << node.name();
    EXPECT_EQ(node.policy, node.unshards ? CheckpointPolicy::must_save : CheckpointPolicy::by_cost) << node.name();
  }
  for (const Node& node : graph->backward) EXPECT_FALSE(node.unshards) << node.name();
}

}  // namespace
}  // namespace ordercheck::ranks
