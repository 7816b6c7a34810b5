#include "ranks/graph/reordering.h"

#include "captured/lifetimes.h"
#include "captured/timeline.h"
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

captured::Timeline timed(const Graph& graph) {
  return captured::timeline_of({describe(graph)}, captured::stated_machine()).value();
}

// As captured, each collective is waited for right behind its start, so that all of it is exposed: no order can expose more.
TEST(OverlapCollectives, ExposeLessThanWhatWasCapturedAndSendTheSame) {
  for (const std::vector<std::string>& buckets :
       {std::vector<std::string>{"", "", ""}, {"a", "b", "a"}, {"a", "a", "b"}, {"a", "a", "a"}})
    on_two_ranks([&](const ShardedRegion& region) {
      const GraphPtr graph = region.captured(buckets);
      bucket_collectives(*graph);
      const captured::Timeline before = timed(*graph);
      EXPECT_EQ(before.exposed, before.sending);
      overlap_collectives(*graph);
      const captured::Timeline behind = timed(*graph);
      EXPECT_EQ(behind.sending, before.sending);
      EXPECT_EQ(behind.computing, before.computing);
      EXPECT_LE(behind.exposed, before.exposed);
      const bool is_one_bucket = buckets[0] == buckets[1] && buckets[1] == buckets[2] && !buckets[0].empty();
      if (!is_one_bucket) EXPECT_LT(behind.exposed, before.exposed) << print(*graph);
    });
}

// What is sent is read up to its wait. Moved behind the start of the next one, a buffer that was given up at the start is another's by
// then; as captured nothing stands in between.
TEST(OverlapCollectives, NeedAPlanOfBuffersThatKeepsWhatIsSent) {
  on_two_ranks([](const ShardedRegion& region) {
    const GraphPtr graph = region.captured({"", "", ""});
    const auto is_taken = [&](captured::SentBuffers sent) {
      const GraphRecord described = describe(*graph);
      return static_cast<bool>(captured::check_buffers(described, captured::plan_buffers(described, sent)));
    };
    EXPECT_TRUE(is_taken(captured::SentBuffers::kept_to_the_wait));
    EXPECT_TRUE(is_taken(captured::SentBuffers::given_up_at_the_start));
    overlap_collectives(*graph);
    EXPECT_TRUE(is_taken(captured::SentBuffers::kept_to_the_wait));
    EXPECT_FALSE(is_taken(captured::SentBuffers::given_up_at_the_start)) << print(*graph);
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
