#include "ranks/graph/auto_buckets.h"

#include "ranks/graph/bucketing.h"
#include "unit/ranks/graph/sharded_graph.h"

namespace ordercheck::ranks {
namespace {

const std::vector<std::string> kAll{kAutoBucket, kAutoBucket, kAutoBucket};

// Two operators of 7 microseconds are computed with the first.
const BucketModel kQuick{.collective_latency = 5};

BucketModel bounded(std::int64_t bytes) {
  BucketModel model = kQuick;
  model.most_bytes = bytes;
  return model;
}

// Buckets of parameters, by the order of their registration; the region reads the second first.
std::vector<std::string> chosen(const ShardedRegion& region, const BucketModel& model) {
  const GraphPtr graph = region.captured(kAll);
  choose_buckets_by(*graph, model);
  std::vector<std::string> buckets(3);
  for (const ShardingCollective& gather : parameter_gathers(*graph, graph->forward)) buckets[gather.parameter] = gather.bucket;
  return buckets;
}

TEST(ChooseBuckets, TheFirstIsAloneAndOthersJoinWhileComputeHidesThem) {
  on_two_ranks([](const ShardedRegion& region) {
    EXPECT_EQ(chosen(region, kQuick), (std::vector<std::string>{"auto.1", "auto.0", "auto.1"}));
  });
}

TEST(ChooseBuckets, NothingJoinsWhereItWouldTakeLongerThanTheComputeBefore) {
  on_two_ranks([](const ShardedRegion& region) {
    EXPECT_EQ(chosen(region, {.collective_latency = 15}), (std::vector<std::string>{"auto.1", "auto.0", "auto.2"}));
    EXPECT_EQ(chosen(region, {.collective_latency = 5, .link_bytes = 1}),
              (std::vector<std::string>{"auto.1", "auto.0", "auto.2"}));
  });
}

TEST(ChooseBuckets, NoneHoldsMoreThanTheBound) {
  on_two_ranks([](const ShardedRegion& region) {
    // [6, 4] and, padded, [4, 4] of 8 bytes.
    EXPECT_EQ(chosen(region, bounded(8 * (24 + 16))), (std::vector<std::string>{"auto.1", "auto.0", "auto.1"}));
    EXPECT_EQ(chosen(region, bounded(8 * (24 + 16) - 1)), (std::vector<std::string>{"auto.1", "auto.0", "auto.2"}));
  });
}

TEST(ChooseBuckets, LeaveOtherNamesAloneAndAGraphWithoutAny) {
  on_two_ranks([](const ShardedRegion& region) {
    const GraphPtr named = region.captured({"a", "", kAutoBucket});
    choose_buckets(*named);
    std::vector<std::string> buckets;
    for (const ShardingCollective& gather : parameter_gathers(*named, named->forward)) buckets.push_back(gather.bucket);
    EXPECT_EQ(buckets, (std::vector<std::string>{"", "a", "auto.0"}));
  });
}

TEST(ChooseBuckets, BackwardAndGradientsGoWithTheirParameters) {
  on_two_ranks([](const ShardedRegion& region) {
    const GraphPtr graph = region.captured(kAll);
    const Outcome owed = replayed(graph, region.inputs);
    choose_buckets_by(*graph, kQuick);
    bucket_collectives(*graph);
    EXPECT_EQ(count(graph->forward, kGather), 2);
    EXPECT_EQ(count(graph->backward, kGather), 2);
    EXPECT_EQ(count(graph->backward, kReduceScatter), 2);
    EXPECT_TRUE(same_outcome(owed, replayed(graph, region.inputs)));
  });
}

TEST(ComputeTime, IsOfTheLaunchTheMemoryOrTheProducts) {
  const GraphPtr graph = record("a region", [](const Tensors& in) { return in[0].mm(in[1].t()).sin(); },
                                {variable(numbers({2, 5}, 0)), variable(numbers({3, 5}, 1))}, {});
  const auto time = [&](const char* op, const BucketModel& model) {
    return compute_time(*graph, *std::ranges::find_if(graph->forward, [&](const Node& node) { return node.name() == op; }),
                        model);
  };
  EXPECT_EQ(time("aten::t", {}), 0);
  EXPECT_EQ(time("aten::sin", {}), 7);
  EXPECT_EQ(time("aten::sin", {.memory_bytes = 1}), 96);
  EXPECT_EQ(time("aten::mm", {.flops = 1}), 60) << "2 * 2 * 3 * 5";
}

// The third piece has two rows on one rank, and on the other one and a row of zeros.
TEST(ComputeTime, IsNoOtherWhereAPieceIsShorter) {
  on_two_ranks([](const ShardedRegion& region) {
    const GraphPtr graph = region.captured(kAll);
    const auto pad =
        std::ranges::find_if(graph->forward, [](const Node& node) { return node.name() == "aten::constant_pad_nd"; });
    ASSERT_NE(pad, graph->forward.end());
    EXPECT_EQ(compute_time(*graph, *pad, {.memory_bytes = 1}), 0);
    double forward = 0;
    for (const Node& node : graph->forward) forward += compute_time(*graph, node, {.memory_bytes = 1});
    // What each product, sine and cosine reads and writes: [5, 4] x [4, 4], then x [4, 6], x [6, 4] and x [4, 3].
    EXPECT_EQ(forward, 8 * (56 + 40 + 74 + 60 + 74 + 47));
  });
}

}  // namespace
}  // namespace ordercheck::ranks
