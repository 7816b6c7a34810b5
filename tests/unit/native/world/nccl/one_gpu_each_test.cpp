#include "native/world/nccl/one_gpu_each.h"

#include <gtest/gtest.h>

namespace ordercheck::ranks {
namespace {

TEST(OneGpuEach, IsTakenByAnyNccl) {
  EXPECT_EQ(why_no_nccl_world(4, 4, 22809), "");
  EXPECT_EQ(why_no_nccl_world(2, 8, 22809), "");
}

TEST(OneGpuEach, OlderNcclRefusesMoreRanksThanGpusInOneLine) {
  EXPECT_EQ(why_no_nccl_world(2, 1, 22809),
            "world nccl: 2 ranks, 1 GPU found; NCCL 2.28.9 takes one rank a GPU, several need 2.30.3 or newer");
  EXPECT_NE(why_no_nccl_world(2, 1, 23002), "");
}

TEST(OneGpuEach, NewerNcclTakesTwoRanksAGpu) {
  EXPECT_EQ(why_no_nccl_world(2, 1, 23003), "");
  EXPECT_EQ(why_no_nccl_world(8, 4, 23007), "");
  EXPECT_EQ(why_no_nccl_world(8, 3, 23007), "world nccl: 8 ranks, 3 GPUs found; at most 2 ranks share a GPU");
}

TEST(OneGpuEach, RanksTakeTurnsOnGpus) {
  EXPECT_EQ(gpu_of_rank(0, 2), 0);
  EXPECT_EQ(gpu_of_rank(3, 2), 1);
}

}  // namespace
}  // namespace ordercheck::ranks
