#include "ranks/graph/bucketing.h"

#include "ranks/graph/reordering.h"
#include "unit/ranks/graph/sharded_graph.h"

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

}  // namespace
}  // namespace ordercheck::ranks
