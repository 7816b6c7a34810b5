#include "graph/timeline.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "graph/lifetimes.h"
#include "unit/graph/sample_graph.h"

namespace ordercheck::captured {
namespace {

// An operator takes 1 us; over two ranks a gather of n elements 8n / 2 bytes at 8 bytes a microsecond: n / 2 us.
placing::Machine simple_machine() {
  return {.flops_per_us = {{8, 1e9}},
          .memory_bytes_per_us = 1e9,
          .reachable = 1,
          .launch_us = 1,
          .links = {{.bytes_per_us = 8, .latency_us = 0}}};
}
constexpr Nanoseconds kUs = 1000;

Timeline timed(const SampleGraph& sample) { return timeline_of({sample.graph}, simple_machine()).value(); }

// So many operators that take a microsecond each.
void compute(SampleGraph& sample, int us) {
  for (int i = 0; i < us; ++i) sample.add("aten::exp", {0}, 1);
}

TEST(Timeline, WithoutACollectiveNothingIsExposed) {
  SampleGraph sample;
  sample.input(1);
  compute(sample, 3);
  sample.view(0, 1);
  EXPECT_EQ(timed(sample), (Timeline{.step = 3 * kUs, .computing = 3 * kUs}));
}

TEST(Timeline, ACollectiveThatIsWaitedForAtOnceIsExposedWhole) {
  SampleGraph sample;
  sample.input(1);
  compute(sample, 1);
  sample.wait(sample.start("all_gather_into_tensor", 0, 20));
  compute(sample, 2);
  EXPECT_EQ(timed(sample), (Timeline{.step = 13 * kUs, .computing = 3 * kUs, .sending = 10 * kUs, .exposed = 10 * kUs}));
}

TEST(Timeline, ComputeBetweenStartAndWaitHidesAsMuch) {
  for (const int hidden : {0, 4, 10, 15}) {
    SampleGraph sample;
    sample.input(1);
    const int begun = sample.start("all_gather_into_tensor", 0, 20);
    compute(sample, hidden);
    sample.wait(begun);
    EXPECT_EQ(timed(sample).exposed, std::max(0, 10 - hidden) * kUs) << hidden;
    EXPECT_EQ(timed(sample).step, std::max(10, hidden) * kUs) << hidden;
  }
}

// Two blocks of 6 us, and gathers of 4 us each. One after the other, and with the second on the way while the first block computes (B12).
TEST(Timeline, AGatherOfTheNextBlockIsHiddenBehindThisOne) {
  const auto run = [](bool prefetches) {
    SampleGraph sample;
    sample.input(1);
    const int first = sample.start("all_gather_into_tensor", 0, 8);
    const int early = prefetches ? sample.start("all_gather_into_tensor", 0, 8) : -1;
    sample.wait(first);
    compute(sample, 6);
    sample.wait(prefetches ? early : sample.start("all_gather_into_tensor", 0, 8));
    compute(sample, 6);
    return timed(sample);
  };
  EXPECT_EQ(run(false), (Timeline{.step = 20 * kUs, .computing = 12 * kUs, .sending = 8 * kUs, .exposed = 8 * kUs}));
  EXPECT_EQ(run(true), (Timeline{.step = 16 * kUs, .computing = 12 * kUs, .sending = 8 * kUs, .exposed = 4 * kUs}))
      << "the first gather has nothing to hide behind";
}

// Backward of two blocks of 6 us with reduce-scatters of 4 us: waited for at once, and behind the start of the next one (B13).
TEST(Timeline, AReduceScatterIsHiddenBehindTheNextBlock) {
  const auto run = [](bool waits_late) {
    SampleGraph sample;
    const int x = sample.input(8);
    sample.backward = true;
    compute(sample, 6);
    const int last = sample.start("reduce_scatter_tensor", x, 4);
    if (!waits_late) sample.wait(last);
    compute(sample, 6);
    const int first = sample.start("reduce_scatter_tensor", x, 4);
    if (waits_late) sample.wait(last);
    sample.wait(first);
    return timed(sample);
  };
  EXPECT_EQ(run(false).exposed, 8 * kUs);
  EXPECT_EQ(run(true).exposed, 4 * kUs) << "the last one has nothing to hide behind";
  EXPECT_EQ(run(true).step, 16 * kUs);
}

TEST(Timeline, OneGroupSendsOneThingAtATimeAndTwoGroupsBeside) {
  const auto exposed = [](const std::string& second_group) {
    SampleGraph sample;
    sample.input(1);
    const int first = sample.start("all_gather_into_tensor", 0, 8, 2, "dp_shard");
    const int second = sample.start("all_gather_into_tensor", 0, 8, 2, second_group);
    sample.wait(first);
    sample.wait(second);
    return timed(sample).exposed;
  };
  EXPECT_EQ(exposed("dp_shard"), 8 * kUs);
  EXPECT_EQ(exposed("tp"), 4 * kUs);
}

// In order: what is waited for first may stand behind what is needed later.
TEST(Timeline, ASmallCollectiveBehindALargeOneOfItsGroupWaitsForBoth) {
  SampleGraph sample;
  sample.input(2);
  sample.start("all_gather_into_tensor", 0, 40);
  sample.wait(sample.start("all_reduce", 0, 2));
  EXPECT_EQ(timed(sample).exposed, (20 + 2) * kUs);
}

TEST(Timeline, WhatEachKindTakesIsTheLinkModels) {
  const auto sending = [](const std::string& op, std::int64_t in, std::int64_t out, int ranks) {
    SampleGraph sample;
    sample.start(op, sample.input(in), out, ranks);
    return timed(sample).sending;
  };
  EXPECT_EQ(sending("all_gather_into_tensor", 4, 16, 4), 12 * kUs) << "three quarters of the whole";
  EXPECT_EQ(sending("reduce_scatter_tensor", 16, 4, 4), 12 * kUs);
  EXPECT_EQ(sending("all_reduce", 16, 16, 4), 24 * kUs);
  EXPECT_EQ(sending("all_to_all_single", 16, 16, 4), 12 * kUs);
  EXPECT_EQ(sending("all_reduce", 16, 16, 1), 0);
}

TEST(Timeline, AMessageHoldsUpWhoReceivesIt) {
  SampleGraph sample;
  sample.input(1);
  sample.add("ordercheck::recv", {}, 5);
  sample.add("ordercheck::send", {0}, 5);
  EXPECT_EQ(timed(sample), (Timeline{.step = 5 * kUs, .sending = 5 * kUs, .exposed = 5 * kUs}));
}

TEST(Timeline, BucketsAreCollectivesThatCarryAName) {
  SampleGraph sample;
  sample.input(1);
  sample.wait(sample.start("all_gather_into_tensor", 0, 8));
  sample.wait(sample.start("all_gather_into_tensor", 0, 8));
  sample.graph.nodes[2].bucket = "layers.0";
  EXPECT_EQ(timed(sample).buckets, 1);
}

TEST(Timeline, AProductWithoutASpeedIsAnError) {
  SampleGraph sample;
  sample.input(4);
  sample.graph.shapes[0] = {2, 2};
  sample.graph.element_bytes[0] = 1;
  sample.add("aten::mm", {0, 0}, 4);
  EXPECT_EQ(timeline_of({sample.graph}, simple_machine()).error().message,
            "the machine states no speed for products of elements of 1 bytes");
}

// A drawn order of the same work: collectives of several groups, each waited for somewhere behind its start.
SampleGraph drawn_graph(bool waits_at_once) {
  SampleGraph sample;
  sample.input(1);
  std::vector<int> begun;
  for (int i = *rc::gen::inRange(1, 30); i > 0; --i) {
    switch (*rc::gen::inRange(0, 3)) {
      case 0: compute(sample, *rc::gen::inRange(1, 5)); break;
      case 1:
        begun.push_back(sample.start(*rc::gen::element<std::string>("all_gather_into_tensor", "all_reduce"), 0,
                                     *rc::gen::inRange(1, 40), *rc::gen::inRange(1, 5),
                                     *rc::gen::element<std::string>("dp_shard", "tp")));
        if (waits_at_once) sample.wait(begun.back());
        break;
      default:
        if (!begun.empty()) sample.wait(begun[*rc::gen::inRange<std::size_t>(0, begun.size())]);
    }
  }
  return sample;
}

RC_GTEST_PROP(Timeline, OfAnyOrderExposesNoMoreThanItSends, ()) {
  const Timeline line = timed(drawn_graph(false));
  RC_ASSERT(line.exposed >= 0);
  RC_ASSERT(line.exposed <= line.sending);
  RC_ASSERT(line.step == line.computing + line.exposed);
}

RC_GTEST_PROP(Timeline, OfWhatIsWaitedForAtOnceExposesItAll, ()) {
  const Timeline line = timed(drawn_graph(true));
  RC_ASSERT(line.exposed == line.sending);
}

using testing::HasSubstr;

GraphRecord behind(const std::string& module, std::vector<std::string> passes) {
  return {.module = module, .passes = std::move(passes)};
}

TEST(Stages, ACaptureBeginsWhereNoPassHasRun) {
  const auto captures = captures_of(
      {behind("a", {}), behind("a", {"common"}), behind("b", {}), behind("b", {"common"}), behind("b", {"common", "x"})});
  ASSERT_EQ(captures.size(), 2u);
  EXPECT_EQ(captures[0].size(), 2u);
  EXPECT_EQ(captures[1].back().passes.size(), 2u);
  EXPECT_TRUE(captures_of({}).empty());
}

TEST(Stages, APassIsFoundByItsNameAndTheTimeItRan) {
  const std::vector<std::string> ran{"dead_code", "common", "dead_code"};
  EXPECT_EQ(*place_of_pass(ran, "common"), 1u);
  EXPECT_EQ(*place_of_pass(ran, "dead_code"), 0u);
  EXPECT_EQ(*place_of_pass(ran, "dead_code:1"), 0u);
  EXPECT_EQ(*place_of_pass(ran, "dead_code:2"), 2u);
}

TEST(Stages, APassThatDidNotRunIsRefusedWithThoseThatDid) {
  const std::vector<std::string> ran{"dead_code", "common"};
  for (const char* name : {"bucket", "dead_code:2", "dead_code:0", "dead_code:", "dead_code:x", "dead_code:1x", ""})
    EXPECT_EQ(place_of_pass(ran, name).error().message,
              "the pass '" + std::string(name) + "' did not run; these did, in this order: dead_code, common");
  EXPECT_THAT(place_of_pass({}, "common").error().message, HasSubstr("in this order: none"));
}

}  // namespace
}  // namespace ordercheck::captured
