#include "native/graph/bucketing.h"

#include "native/graph/pass_list.h"
#include "unit/native/graph/sharded_graph.h"

namespace ordercheck::ranks {
namespace {

TEST(BucketCollectives, SendEachBucketOnceInEachDirection) {
  on_two_ranks([](const ShardedRegion& region) {
    const GraphPtr graph = region.captured({"a", "a", "b"});
    EXPECT_EQ(count(graph->forward, kGather), 3);
    bucket_collectives(*graph);
    EXPECT_EQ(count(graph->forward, kGather), 2);
    EXPECT_EQ(count(graph->forward, kWait), 2);
    EXPECT_EQ(count(graph->backward, kGather), 2);
    EXPECT_EQ(count(graph->backward, kReduceScatter), 2);
    EXPECT_EQ(count(graph->backward, kWait), 4);
  });
}

TEST(BucketCollectives, NameWhatIsSentAfterItsBucket) {
  on_two_ranks([](const ShardedRegion& region) {
    const GraphPtr graph = region.captured({"a", "a", "b"});
    bucket_collectives(*graph);
    std::multiset<std::string> gathered, scattered;
    for (const Node& node : graph->forward)
      if (node.name() == kGather) gathered.insert(node.bucket);
    for (const Node& node : graph->backward)
      if (node.name() == kReduceScatter) scattered.insert(node.bucket);
    EXPECT_EQ(gathered, (std::multiset<std::string>{"a", "b"}));
    EXPECT_EQ(scattered, (std::multiset<std::string>{"a", ""})) << "one by itself is left as it was captured";
  });
}

TEST(BucketCollectives, ChangeNoBitOfMixedShapesAndPaddedOnes) {
  for (const std::vector<std::string>& buckets :
       {std::vector<std::string>{"a", "a", "a"}, {"a", "b", "a"}, {"", "a", "a"}, {"a", "b", "c"}, {"", "", ""}})
    on_two_ranks([&](const ShardedRegion& region) {
      const GraphPtr graph = region.captured(buckets);
      const Outcome owed = replayed(graph, region.inputs);
      bucket_collectives(*graph);
      EXPECT_TRUE(same_outcome(owed, replayed(graph, region.inputs))) << print(*graph);
    });
}

// What a bucket that is unpacked at the wrong place would look like: the comparison above can fail.
TEST(BucketCollectives, APieceTakenFromAnothersPlaceIsSeen) {
  on_two_ranks([](const ShardedRegion& region) {
    const GraphPtr graph = region.captured({"a", "a", "a"});
    const Outcome owed = replayed(graph, region.inputs);
    bucket_collectives(*graph);
    int moved = 0;
    for (Node& node : graph->forward) {
      if (node.name() != "aten::slice" || !node.unshards || node.arguments[1].constant.toInt() != 1) continue;
      const int64_t start = node.arguments[2].constant.toInt(), end = node.arguments[3].constant.toInt();
      if (start == 0) continue;
      node.arguments[2].constant = start - 1;
      node.arguments[3].constant = end - 1;
      ++moved;
    }
    ASSERT_EQ(moved, 2);
    EXPECT_FALSE(same_outcome(owed, replayed(graph, region.inputs)));
  });
}

TEST(BucketCollectives, PackInTheOrderOfRegistration) {
  on_two_ranks([](const ShardedRegion& region) {
    const GraphPtr graph = region.captured({"a", "a", "a"});
    bucket_collectives(*graph);
    // The region reads its second parameter first.
    const auto cat = std::ranges::find_if(graph->forward, [](const Node& node) { return node.name() == "aten::cat"; });
    ASSERT_NE(cat, graph->forward.end());
    std::vector<int64_t> lengths;
    for (const ValueId id : operands(*cat)) lengths.push_back(graph->values[id].sizes[0]);
    EXPECT_EQ(lengths, region.elements_sent());
  });
}

TEST(BucketCollectives, ASecondTimeChangesNothing) {
  on_two_ranks([](const ShardedRegion& region) {
    const GraphPtr graph = region.captured({"a", "a", "b"});
    bucket_collectives(*graph);
    const std::string once = print(*graph);
    bucket_collectives(*graph);
    EXPECT_EQ(print(*graph), once);
  });
}

TEST(BucketCollectives, LeaveAGraphAloneWhoseCollectivesMoveActivations) {
  complete(mesh_with({{"tp", 2}}), [](RankState&) {
    const GraphPtr graph = record(
        "a region",
        [](const Tensors& in) { return gather_from_group(in[0], 0, "tp").sin() + gather_from_group(in[0].cos(), 0, "tp"); },
        {variable(numbers({2, 2}, 0))}, {});
    optimize(*graph);
    const std::string before = print(*graph);
    bucket_collectives(*graph);
    overlap_collectives(*graph);
    EXPECT_EQ(print(*graph), before);
  });
}

// One name for all of them, and two of each kind.
TEST(BucketCollectives, KeepApartWhatOtherRanksHaveAndWhatIsOfAnotherDtype) {
  complete(mesh_with({{"dp_shard", 2}, {"tp", 2}}), [](RankState& rank) {
    std::vector<at::Tensor> pieces;
    for (int i = 0; i < 6; ++i)
      pieces.push_back(variable(numbers({2, 4}, rank.rank + 10 * i).to(i < 4 ? at::kDouble : at::kFloat)));
    const auto whole = [&](std::size_t i) {
      const UnshardScope scope(CheckpointPolicy::must_recompute, "a");
      return gather_from_group(pieces[i], 0, i == 2 || i == 3 ? "tp" : "dp_shard");
    };
    const std::vector<at::Tensor> inputs{variable(numbers({5, 4}, 0))};
    const GraphPtr graph = record(
        "a region",
        [&](const Tensors& in) {
          at::Tensor sum = in[0].mm(whole(0).t());
          for (std::size_t i = 1; i < pieces.size(); ++i) sum = sum + in[0].mm(whole(i).to(at::kDouble).t());
          return sum;
        },
        inputs, pieces);
    optimize(*graph);
    EXPECT_EQ(count(graph->forward, kGather), 6);
    const Outcome owed = replayed(graph, inputs);
    bucket_collectives(*graph);
    EXPECT_EQ(count(graph->forward, kGather), 3);
    EXPECT_EQ(count(graph->backward, kReduceScatter), 3);
    EXPECT_TRUE(same_outcome(owed, replayed(graph, inputs))) << print(*graph);
  });
}

// What one of a bucket needs may not wait for another of it.
TEST(BucketCollectives, AGatherThatReadsAnothersResultIsNotSentWithIt) {
  on_two_ranks([](const ShardedRegion& region) {
    const GraphPtr graph = region.captured({"a", "a", "a"}, /*second_from_first=*/true);
    bucket_collectives(*graph);
    EXPECT_EQ(count(graph->forward, kGather), 2);
  });
}

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
