#include "native/graph/pass_list.h"

#include <algorithm>

#include "base/text.h"
#include "device/fake_device.h"
#include "graph/lifetimes.h"
#include "graph/timeline.h"
#include "native/graph/bucketing.h"
#include "unit/native/graph/sharded_graph.h"

namespace ordercheck::ranks {
namespace {

using testing::ElementsAre;

TEST(Passes, AreRunByTheirNames) {
  on_two_ranks([](const ShardedRegion& region) {
    const GraphPtr graph = region.recorded({"a", "a", "a"});
    run_passes(*graph, {"common", "bucket"});
    EXPECT_EQ(count(graph->forward, kGather), 1);
    EXPECT_THROW(run_passes(*graph, {"common", "buckets"}), std::invalid_argument);
  });
}

TEST(Passes, TheUsualOnesBucketWhereBucketsAreNamed) {
  on_two_ranks([](const ShardedRegion& region) {
    EXPECT_THAT(usual_passes(*region.recorded({"", "", ""})), ElementsAre("dead_code", "common", "partition", "dead_code"));
    EXPECT_THAT(usual_passes(*region.recorded({"", "", "a"})),
                ElementsAre("dead_code", "common", "partition", "dead_code", "auto_buckets", "bucket", "overlap"));
  });
}

const std::vector<std::string> kEach{"auto_buckets", "bucket", "common", "dead_code", "overlap", "partition"};

// Gathers that start while another one is on the way.
int started_ahead(const std::vector<Node>& nodes) {
  int ahead = 0, on_the_way = 0;
  for (const Node& node : nodes) {
    if (node.name() == kGather) ahead += on_the_way++ > 0 ? 1 : 0;
    if (node.name() == kWait && on_the_way > 0) --on_the_way;
  }
  return ahead;
}

// What an order of passes makes of the region: what is run, what is handed to backward, and the bits.
struct Made {
  std::vector<std::string> operators;  // sorted; of a view it does not matter whether it is backward's own or made again
  int started_ahead_in_forward = 0, started_ahead_in_backward = 0;
  std::int64_t saved = 0;
  Outcome outcome;

  bool costs_as(const Made& other) const {
    return operators == other.operators && started_ahead_in_forward == other.started_ahead_in_forward &&
           started_ahead_in_backward == other.started_ahead_in_backward && saved == other.saved;
  }
};

Made made_by(const std::vector<std::string>& names, const ShardedRegion& region, const std::vector<std::string>& buckets) {
  const GraphPtr graph = region.recorded(buckets);
  run_passes(*graph, names);
  Made made{.operators = {},
            .started_ahead_in_forward = started_ahead(graph->forward),
            .started_ahead_in_backward = started_ahead(graph->backward),
            .saved = saved_bytes(*graph),
            .outcome = replayed(graph, region.inputs)};
  for (const GraphNodeRecord& node : describe(*graph).nodes)
    made.operators.push_back((node.backward ? "backward " : "forward ") + node.op);
  std::ranges::sort(made.operators);
  return made;
}

using Before = std::pair<const char*, const char*>;
const std::vector<Before> kOrdered{{"auto_buckets", "bucket"}, {"bucket", "overlap"}, {"partition", "overlap"}};

bool keeps(const std::vector<std::string>& names, const Before& order) {
  return std::ranges::find(names, order.first) < std::ranges::find(names, order.second);
}

// None changes a bit, in whatever order: what an order loses is cost.
TEST(Passes, EveryOrderOfThemGivesTheSameBits) {
  on_two_ranks([](const ShardedRegion& region) {
    for (const std::vector<std::string>& buckets : {std::vector<std::string>{"a", "a", "a"}, {"auto", "auto", "a"}}) {
      const Outcome owed = made_by({}, region, buckets).outcome;
      std::vector<std::string> names = kEach;
      do EXPECT_TRUE(same_outcome(owed, made_by(names, region, buckets).outcome)) << join(names, "+");
      while (std::ranges::next_permutation(names).found);
    }
  });
}

// Three pairs have an order, and all others commute.
TEST(Passes, EveryOrderThatKeepsTheThreeThatMatterCostsTheSame) {
  on_two_ranks([](const ShardedRegion& region) {
    for (const std::vector<std::string>& buckets : {std::vector<std::string>{"a", "b", "b"}, {"auto", "a", "auto"}}) {
      const Made owed = made_by({"dead_code", "common", "partition", "auto_buckets", "bucket", "overlap"}, region, buckets);
      int orders = 0;
      std::vector<std::string> names = kEach;
      do {
        if (!std::ranges::all_of(kOrdered, [&](const Before& order) { return keeps(names, order); })) continue;
        ++orders;
        EXPECT_TRUE(owed.costs_as(made_by(names, region, buckets))) << join(names, "+");
      } while (std::ranges::next_permutation(names).found);
      EXPECT_EQ(orders, 90);
    }
  });
}

TEST(Passes, EachOfTheThreeMatters) {
  on_two_ranks([](const ShardedRegion& region) {
    const auto made = [&](const std::vector<std::string>& names, const std::vector<std::string>& buckets) {
      return made_by(names, region, buckets);
    };
    const auto gathers = [](const Made& one) { return std::ranges::count(one.operators, std::string("forward ") + kGather); };
    // Not chosen yet, they are all of one name.
    EXPECT_EQ(gathers(made({"partition", "auto_buckets", "bucket"}, {"auto", "auto", "auto"})), 3);
    EXPECT_EQ(gathers(made({"partition", "bucket", "auto_buckets"}, {"auto", "auto", "auto"})), 1);
    // What was started early is sent with the first of its bucket, and that is waited for where it is read.
    EXPECT_GT(made({"partition", "bucket", "overlap"}, {"a", "b", "b"}).started_ahead_in_forward, 0);
    EXPECT_EQ(made({"partition", "overlap", "bucket"}, {"a", "b", "b"}).started_ahead_in_forward, 0);
    // Backward is made anew by the partition, each gather where it is first read.
    EXPECT_GT(made({"partition", "overlap"}, {"", "", ""}).started_ahead_in_backward, 0);
    EXPECT_EQ(made({"overlap", "partition"}, {"", "", ""}).started_ahead_in_backward, 0);
  });
}

TEST(Passes, EachTwiceOrLeftOutGivesTheSameBits) {
  on_two_ranks([](const ShardedRegion& region) {
    const std::vector<std::string> usual{"dead_code", "common", "partition", "auto_buckets", "bucket", "overlap"};
    const Outcome owed = made_by({}, region, {"a", "a", "auto"}).outcome;
    for (const std::string& one : usual) {
      std::vector<std::string> twice = usual, without = usual;
      twice.push_back(one);
      std::erase(without, one);
      EXPECT_TRUE(same_outcome(owed, made_by(twice, region, {"a", "a", "auto"}).outcome)) << one;
      EXPECT_TRUE(same_outcome(owed, made_by(without, region, {"a", "a", "auto"}).outcome)) << one;
    }
  });
}

using captured::SentBuffers;
using testing::HasSubstr;

// Three layers of one size, so that every value fits where any other one was.
struct Chain {
  std::vector<at::Tensor> inputs, pieces;

  explicit Chain(const RankState& rank) : inputs{variable(numbers({4, 4}, rank.rank).to(rank.device))} {
    for (const int layer : {10, 20, 30}) pieces.push_back(variable(numbers({2, 4}, rank.rank + layer).to(rank.device)));
  }

  GraphPtr recorded(const std::vector<std::string>& passes) const {
    const GraphPtr graph = record(
        "a chain",
        [&](const std::vector<at::Tensor>& in) {
          at::Tensor hidden = in[0];
          for (const at::Tensor& piece : pieces) {
            const UnshardScope scope(CheckpointPolicy::must_recompute, "a");
            hidden = hidden.mm(gather_from_group(piece, 0, "dp_shard")).sin();
          }
          return hidden;
        },
        inputs, pieces);
    run_passes(*graph, passes);
    return graph;
  }

  Outcome outcome(const std::vector<std::string>& passes) const { return replayed(recorded(passes), inputs); }
};

void on_two(const std::function<void(const Chain&)>& body) {
  complete(mesh_with({{"dp_shard", 2}}), [&](RankState& rank) { body(Chain(rank)); });
}

Outcome on_host(Outcome outcome) {
  outcome.value = outcome.value.to(at::kCPU);
  for (at::Tensor& gradient : outcome.gradients)
    if (gradient.defined()) gradient = gradient.to(at::kCPU);
  return outcome;
}

int placed(const Graph& graph) {
  return static_cast<int>(std::ranges::count_if(graph.buffers.buffer, [](int buffer) { return buffer != -1; }));
}

TEST(BufferReuse, WritesOverWhatNobodyReadsAndChangesNoBit) {
  on_two([](const Chain& chain) {
    for (const std::vector<std::string>& passes : {std::vector<std::string>{"common", "partition"},
                                                   {"common", "partition", "overlap"},
                                                   {"common", "partition", "bucket"}}) {
      std::vector<std::string> reusing = passes;
      reusing.push_back("reuse");
      const GraphPtr graph = chain.recorded(reusing);
      EXPECT_LT(graph->buffers.bytes.size(), static_cast<std::size_t>(placed(*graph)));
      EXPECT_TRUE(same_outcome(replayed(graph, chain.inputs), chain.outcome(passes)));
    }
  });
}

// What a bucket's new nodes read was written over by then; the hostile order of the one above.
TEST(BufferReuse, BeforeBucketsNumbersAreWrongWithoutAWord) {
  on_two([](const Chain& chain) {
    EXPECT_FALSE(same_outcome(chain.outcome({"common", "partition", "reuse", "bucket"}),
                              chain.outcome({"common", "partition", "bucket", "reuse"})));
  });
}

// By a plan that is made anew behind the passes, on a device whose streams are watched.
std::string on_streams(SentBuffers sent) {
  const c10::Device device = install_fake_device();
  const WorldResult result =
      run_thread_world(mesh_with({{"dp_shard", 2}}), {.devices = {device, device}}, [&](RankState& rank) {
        const Chain chain(rank);
        const std::vector<std::string> passes{"common", "partition", "overlap"};
        const GraphPtr graph = chain.recorded(passes);
        graph->buffers = captured::plan_buffers(describe(*graph), sent);
        EXPECT_TRUE(same_outcome(on_host(replayed(graph, chain.inputs)), on_host(chain.outcome(passes))));
      });
  return result.failure ? result.failure->message : name_of(result.ending);
}

TEST(BufferReuse, B16NothingIsWrittenBetweenAStartAndItsWait) {
  EXPECT_EQ(on_streams(SentBuffers::kept_to_the_wait), "completed");
  EXPECT_THAT(on_streams(SentBuffers::given_up_at_the_start), HasSubstr("and no event or synchronization orders the two"));
}

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
