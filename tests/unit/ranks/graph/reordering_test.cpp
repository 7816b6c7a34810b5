#include "ranks/graph/reordering.h"

#include "ranks/graph/bucketing.h"
#include "unit/ranks/graph/sharded_graph.h"

namespace ordercheck::ranks {
namespace {

// Starts and waits of one kind of collective as they stand: "s0 s1 w0 w1".
std::string course_of(const std::vector<Node>& nodes, const std::string& kind) {
  std::string told;
  std::vector<ValueId> begun;
  for (const Node& node : nodes) {
    if (node.name() == kind) {
      begun.push_back(results(node).front());
      told += "s" + std::to_string(begun.size() - 1) + " ";
    } else if (node.name() == kWait) {
      const auto start = std::ranges::find(begun, operands(node).front());
      if (start != begun.end()) told += "w" + std::to_string(start - begun.begin()) + " ";
    }
  }
  return told;
}

TEST(OverlapCollectives, StartAGatherBeforeTheWaitOfTheOneBefore) {
  on_two_ranks([](const ShardedRegion& region) {
    const GraphPtr graph = region.captured({"", "", ""});
    EXPECT_EQ(course_of(graph->forward, kGather), "s0 w0 s1 w1 s2 w2 ");
    overlap_collectives(*graph);
    EXPECT_EQ(course_of(graph->forward, kGather), "s0 s1 w0 s2 w1 w2 ");
    EXPECT_EQ(course_of(graph->backward, kGather), "s0 s1 w0 s2 w1 w2 ");
  });
}

TEST(OverlapCollectives, WaitForAReduceScatterBehindTheStartOfTheNext) {
  on_two_ranks([](const ShardedRegion& region) {
    const GraphPtr graph = region.captured({"", "", ""});
    EXPECT_EQ(course_of(graph->backward, kReduceScatter), "s0 w0 s1 w1 s2 w2 ");
    overlap_collectives(*graph);
    EXPECT_EQ(course_of(graph->backward, kReduceScatter), "s0 s1 w0 s2 w1 w2 ");
  });
}

TEST(OverlapCollectives, ChangeNoBitWithAndWithoutBuckets) {
  for (const std::vector<std::string>& buckets : {std::vector<std::string>{"", "", ""}, {"a", "b", "a"}, {"a", "a", "b"}})
    for (const bool bucketed_first : {true, false})
      on_two_ranks([&](const ShardedRegion& region) {
        const GraphPtr graph = region.captured(buckets);
        const Outcome owed = replayed(graph, region.inputs);
        if (bucketed_first) bucket_collectives(*graph);
        overlap_collectives(*graph);
        if (!bucketed_first) bucket_collectives(*graph);
        EXPECT_TRUE(same_outcome(owed, replayed(graph, region.inputs))) << print(*graph);
      });
}

TEST(OverlapCollectives, ASecondTimeChangesNothing) {
  on_two_ranks([](const ShardedRegion& region) {
    const GraphPtr graph = region.captured({"a", "a", "b"});
    bucket_collectives(*graph);
    overlap_collectives(*graph);
    const std::string once = print(*graph);
    overlap_collectives(*graph);
    EXPECT_EQ(print(*graph), once);
  });
}

TEST(OverlapCollectives, EveryWaitStandsBehindItsStartAndBeforeItsReaders) {
  on_two_ranks([](const ShardedRegion& region) {
    const GraphPtr graph = region.captured({"a", "", "a"});
    bucket_collectives(*graph);
    overlap_collectives(*graph);
    for (const auto* nodes : {&graph->forward, &graph->backward}) {
      std::set<ValueId> made;
      for (const Node& node : *nodes) {
        for (const ValueId id : results(node)) made.insert(id);
        for (const ValueId id : operands(node)) {
          const bool made_here = std::ranges::any_of(*nodes, [&](const Node& other) {
            const auto of_other = results(other);
            return std::ranges::find(of_other, id) != of_other.end();
          });
          EXPECT_TRUE(!made_here || made.contains(id)) << node.name();
        }
      }
    }
  });
}

}  // namespace
}  // namespace ordercheck::ranks
