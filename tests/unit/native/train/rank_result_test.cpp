#include "native/train/rank_result.h"

#include "native/train/run_case.h"
#include "unit/native/world/on_ranks.h"

namespace ordercheck::ranks {
namespace {

const WhereItRan kHost{.device = "cpu", .backend = "ordercheck_gloo"}, kGpu{.device = "cuda:0", .backend = "ordercheck_nccl"};

TEST(WhereItRan, IsWhatTheRankItselfSees) {
  complete(mesh_with({{"tp", 2}}), [](RankState& rank) {
    EXPECT_EQ(where_this_rank_ran(rank, at::kCPU), (WhereItRan{.device = "cpu", .backend = "ordercheck_threads"}));
  });
  complete(mesh_with({}), [](RankState& rank) { EXPECT_EQ(where_this_rank_ran(rank, at::kCPU), (WhereItRan{"cpu", ""})); });
}

TEST(WhereItRan, ElsewhereThanAskedIsToldInOneLine) {
  EXPECT_EQ(why_elsewhere({kGpu, kGpu}, {kGpu, kGpu}), "");
  EXPECT_EQ(why_elsewhere({kGpu, kGpu}, {kGpu, kHost}),
            "rank 1 ran on cpu by ordercheck_gloo, and cuda:0 by ordercheck_nccl was asked for");
}

}  // namespace
}  // namespace ordercheck::ranks
