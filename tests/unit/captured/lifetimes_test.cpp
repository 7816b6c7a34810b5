#include "captured/lifetimes.h"

#include <gmock/gmock.h>

#include "unit/captured/sample_graph.h"

namespace ordercheck::captured {
namespace {

using testing::ElementsAre;

constexpr std::int64_t kBytes = 8;  // of an element

TEST(Lifetimes, AViewAndWhatAWaitReturnsLieInTheMemoryOfAnother) {
  SampleGraph sample;
  const int x = sample.input(4), sum = sample.start("all_reduce", x, 4), waited = sample.wait(sum),
            shown = sample.view(waited, 2);
  const int copied = sample.add("aten::clone", {shown}, 2), unsafe = sample.add("aten::_unsafe_view", {copied}, 2);
  const std::vector<int> memory = memory_of(sample.graph);
  EXPECT_EQ(memory[static_cast<std::size_t>(x)], x);
  EXPECT_EQ(memory[static_cast<std::size_t>(waited)], sum);
  EXPECT_EQ(memory[static_cast<std::size_t>(shown)], sum);
  EXPECT_EQ(memory[static_cast<std::size_t>(copied)], copied);
  EXPECT_EQ(memory[static_cast<std::size_t>(unsafe)], copied);
}

TEST(Lifetimes, AStepGoesForwardInOrderAndBackTheOtherWay) {
  SampleGraph one;
  one.add("aten::exp", {one.input(1)}, 1);
  one.backward = true;
  one.add("aten::exp", {0}, 1);
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (const StepNode& at : step_of({one.graph, one.graph})) places.emplace_back(at.graph, at.node);
  EXPECT_THAT(places, ElementsAre(std::pair(0u, 0u), std::pair(1u, 0u), std::pair(1u, 1u), std::pair(0u, 1u)));
}

TEST(HeldBytes, OfAChainAreTwoLinksAtOnce) {
  SampleGraph sample;
  int last = sample.input(100);
  for (const std::int64_t elements : {1, 2, 5, 3}) last = sample.add("aten::exp", {last}, elements);
  EXPECT_EQ(held_bytes_peak({sample.graph}), (5 + 3) * kBytes) << "a link is made while the one before it is read";
}

TEST(HeldBytes, AViewKeepsWhatItShowsAndCostsNothing) {
  SampleGraph sample;
  const int big = sample.add("aten::exp", {sample.input(1)}, 50);
  const int shown = sample.view(big, 10);
  sample.add("aten::exp", {0}, 7);
  sample.add("aten::exp", {shown}, 1);
  EXPECT_EQ(held_bytes_peak({sample.graph}), (50 + 7) * kBytes);
}

// The buffer that is sent is held up to the wait, though no node reads it any more.
TEST(HeldBytes, WhatACollectiveIsHandedIsHeldUpToItsWait) {
  const auto peak = [](bool waits_at_once) {
    SampleGraph sample;
    const int sent = sample.add("aten::exp", {sample.input(1)}, 10), sum = sample.start("all_reduce", sent, 10);
    if (waits_at_once) sample.wait(sum);
    sample.add("aten::exp", {0}, 100);
    if (!waits_at_once) sample.wait(sum);
    return held_bytes_peak({sample.graph});
  };
  EXPECT_EQ(peak(false), (10 + 10 + 100) * kBytes);
  EXPECT_EQ(peak(true), 100 * kBytes);
}

TEST(HeldBytes, WhatIsSavedIsHeldUpToItsLastReaderInBackward) {
  SampleGraph sample;
  const int saved = sample.add("aten::exp", {sample.input(1)}, 10);
  sample.graph.saved = {saved};
  sample.backward = true;
  const int other = sample.add("aten::exp", {0}, 30);
  sample.add("aten::exp", {saved}, 5);
  EXPECT_EQ(held_bytes_peak({sample.graph}), (10 + 30) * kBytes);
  sample.graph.gradients = {other};
  EXPECT_EQ(held_bytes_peak({sample.graph}), (10 + 30 + 5) * kBytes) << "gradients are held to the end";
}

TEST(HeldBytes, OfTwoGraphsWhatTheFirstSavesIsHeldWhileTheSecondRuns) {
  const auto block = [](std::int64_t saved_elements) {
    SampleGraph sample;
    const int saved = sample.add("aten::exp", {sample.input(1)}, saved_elements);
    sample.graph.saved = {saved};
    sample.backward = true;
    sample.add("aten::exp", {saved}, 1);
    return sample.graph;
  };
  EXPECT_EQ(held_bytes_peak({block(10), block(20)}), (10 + 20 + 1) * kBytes);
}

TEST(HeldBytes, ASavedInputCountsAndAParameterDoesNot) {
  SampleGraph sample;
  const int x = sample.input(10), w = sample.parameter(1000);
  sample.add("aten::exp", {x}, 1);
  sample.graph.saved = {x, w};
  sample.backward = true;
  sample.add("aten::mul", {x, w}, 2);
  EXPECT_EQ(held_bytes_peak({sample.graph}), (10 + 2) * kBytes);
}

TEST(HeldBytes, OfNothingAreNone) {
  EXPECT_EQ(held_bytes_peak({}), 0);
  EXPECT_EQ(held_bytes_peak({GraphRecord{}}), 0);
}

}  // namespace
}  // namespace ordercheck::captured
