#include "graph/lifetimes.h"

#include <functional>
#include <map>

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "unit/graph/sample_graph.h"

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

using testing::HasSubstr;

std::string fault_in(const GraphRecord& graph, const BufferPlan& plan) {
  const Status checked = check_buffers(graph, plan);
  return checked ? "" : checked.error().message;
}

int buffer_of(const BufferPlan& plan, int value) { return plan.buffer[static_cast<std::size_t>(value)]; }

// A gradient is sent; while it is on the way another value of its size is made (B1.9 of the sources: pytorch#108811).
struct SentWhileComputing {
  SampleGraph sample;
  int sent, sum, made, waited;

  SentWhileComputing() {
    const int x = sample.input(4);
    sent = sample.add("aten::exp", {x}, 4);
    sum = sample.start("all_reduce", sent, 4);
    made = sample.add("aten::neg", {x}, 4);
    waited = sample.wait(sum);
    const int added = sample.add("aten::add", {waited, made}, 4);
    sample.graph.outputs = {added};
  }
};

TEST(BufferPlan, AChainTakesTwoBuffersAndWhatIsHandedOutNone) {
  SampleGraph sample;
  int last = sample.input(4);
  for (int i = 0; i < 5; ++i) last = sample.add("aten::exp", {last}, 4);
  sample.graph.outputs = {last};
  const BufferPlan plan = plan_buffers(sample.graph);
  EXPECT_EQ(plan.bytes, (std::vector<std::int64_t>{32, 32}));
  EXPECT_EQ(buffer_of(plan, 1), buffer_of(plan, 3));
  EXPECT_NE(buffer_of(plan, 1), buffer_of(plan, 2));
  EXPECT_EQ(buffer_of(plan, last), -1);
  EXPECT_EQ(fault_in(sample.graph, plan), "");
}

TEST(BufferPlan, AnotherSizeGetsAnotherBuffer) {
  SampleGraph sample;
  const int x = sample.input(1);
  sample.add("aten::exp", {x}, 4);
  sample.add("aten::exp", {x}, 5);
  EXPECT_EQ(plan_buffers(sample.graph).bytes, (std::vector<std::int64_t>{32, 40}));
}

TEST(BufferPlan, AViewKeepsTheBufferOfWhatItShows) {
  SampleGraph sample;
  const int x = sample.input(1), big = sample.add("aten::exp", {x}, 4), shown = sample.view(big, 4);
  const int other = sample.add("aten::exp", {x}, 4);
  sample.add("aten::add", {shown, other}, 1);
  const BufferPlan plan = plan_buffers(sample.graph);
  EXPECT_NE(buffer_of(plan, big), buffer_of(plan, other));
  EXPECT_EQ(buffer_of(plan, shown), -1);
}

TEST(BufferPlan, WhatIsSentIsKeptToItsWait) {
  const SentWhileComputing run;
  const BufferPlan plan = plan_buffers(run.sample.graph);
  EXPECT_NE(buffer_of(plan, run.made), buffer_of(plan, run.sent));
  EXPECT_EQ(fault_in(run.sample.graph, plan), "");
}

// The hostile twin of the one above: by the last use in the graph, as a planner that knows of no streams goes.
TEST(BufferPlan, OneThatGivesUpWhatIsSentAtTheStartIsRefused) {
  const SentWhileComputing run;
  const BufferPlan plan = plan_buffers(run.sample.graph, SentBuffers::given_up_at_the_start);
  EXPECT_EQ(buffer_of(plan, run.made), buffer_of(plan, run.sent));
  EXPECT_EQ(fault_in(run.sample.graph, plan), "aten::neg writes %3 to buffer 0, which the collective of %2 has up to its wait");
}

TEST(BufferPlan, AViewOfWhatIsSentIsKeptToo) {
  SampleGraph sample;
  const int x = sample.input(4), whole = sample.add("aten::exp", {x}, 4), sent = sample.view(whole, 4);
  const int sum = sample.start("all_reduce", sent, 4);
  sample.add("aten::neg", {x}, 4);
  sample.graph.outputs = {sample.wait(sum)};
  EXPECT_EQ(fault_in(sample.graph, plan_buffers(sample.graph)), "");
  EXPECT_THAT(fault_in(sample.graph, plan_buffers(sample.graph, SentBuffers::given_up_at_the_start)),
              HasSubstr("up to its wait"));
}

TEST(CheckBuffers, AWriteToWhatACollectiveIsWritingIsRefused) {
  const SentWhileComputing run;
  BufferPlan plan = plan_buffers(run.sample.graph);
  plan.buffer[static_cast<std::size_t>(run.made)] = buffer_of(plan, run.sum);
  EXPECT_THAT(fault_in(run.sample.graph, plan), HasSubstr("writes %3 to buffer 1, which the collective of %2 has"));
}

TEST(CheckBuffers, AReadBeforeTheWaitIsRefused) {
  SampleGraph sample;
  const int x = sample.input(4), sum = sample.start("all_reduce", x, 4);
  sample.add("aten::neg", {sum}, 4);
  sample.wait(sum);
  EXPECT_EQ(fault_in(sample.graph, plan_buffers(sample.graph)), "aten::neg reads %1 before the wait for it");
}

TEST(CheckBuffers, WithoutACollectiveTooAValueThatIsStillReadIsNotWrittenOver) {
  SampleGraph sample;
  const int x = sample.input(4), first = sample.add("aten::exp", {x}, 4), second = sample.add("aten::neg", {x}, 4);
  sample.add("aten::add", {first, second}, 4);
  BufferPlan plan = plan_buffers(sample.graph);
  plan.buffer[static_cast<std::size_t>(second)] = buffer_of(plan, first);
  EXPECT_EQ(fault_in(sample.graph, plan), "aten::add reads %1, but %2 overwrote its buffer");
}

TEST(CheckBuffers, ANodeThatWritesOverWhatItReadsIsRefused) {
  SampleGraph sample;
  const int x = sample.input(4), first = sample.add("aten::exp", {x}, 4), second = sample.add("aten::neg", {first}, 4);
  BufferPlan plan = plan_buffers(sample.graph);
  plan.buffer[static_cast<std::size_t>(second)] = buffer_of(plan, first);
  EXPECT_EQ(fault_in(sample.graph, plan), "aten::neg writes %2 over %1, which it reads");
}

TEST(CheckBuffers, WhatIsHandedOutIsNotWrittenOver) {
  SampleGraph sample;
  const int x = sample.input(4), first = sample.add("aten::exp", {x}, 4), second = sample.add("aten::neg", {x}, 4);
  BufferPlan plan = plan_buffers(sample.graph);
  plan.buffer[static_cast<std::size_t>(second)] = buffer_of(plan, first);
  EXPECT_EQ(fault_in(sample.graph, plan), "") << "nobody reads the first";
  sample.graph.saved = {first};
  EXPECT_EQ(fault_in(sample.graph, plan), "%1 is an output, but %2 overwrote its buffer");
}

TEST(CheckBuffers, APlanThatDoesNotFitIsRefused) {
  const GraphRecord graph = SentWhileComputing().sample.graph;
  const BufferPlan plan = plan_buffers(graph);
  BufferPlan other = plan;
  other.buffer.pop_back();
  EXPECT_EQ(fault_in(graph, other), "the plan places 5 values, the graph has 6");
  other = plan;
  other.buffer[1] = 9;
  EXPECT_EQ(fault_in(graph, other), "the plan places %1 in buffer 9, but has 3 buffers");
  other = plan;
  other.bytes[0] = 31;
  EXPECT_EQ(fault_in(graph, other), "the plan places %1 of 32 bytes in buffer 0 of 31");
}

// A run by a plan, with a number for each memory. A collective reads what it was handed where it is waited for: as late as a stream may.
class LateRun {
 public:
  LateRun(const GraphRecord& graph, const BufferPlan& plan) : graph_(graph), plan_(plan), memory_(memory_of(graph)) {}

  std::vector<std::size_t> handed_out() {
    for (const int input : graph_.inputs) own_[input] = static_cast<std::size_t>(input) + 1;
    for (const GraphNodeRecord& node : graph_.nodes) run(node);
    std::vector<std::size_t> values;
    for (const int value : graph_.outputs) values.push_back(at(value));
    return values;
  }

 private:
  std::size_t& at(int value) {
    const int memory = memory_[static_cast<std::size_t>(value)], buffer = plan_.buffer[static_cast<std::size_t>(memory)];
    return buffer == -1 ? own_[memory] : buffers_[buffer];
  }

  void run(const GraphNodeRecord& node) {
    if (is_start(node)) {
      pending_[node.results[0]] = node.operands[0];
      return;
    }
    std::size_t mixed = std::hash<std::string>{}(node.op);
    for (const int operand : node.operands) mixed = (mixed ^ at(operand)) * 0x9E3779B97F4A7C15u + 1;
    if (node.op == kWait) {
      at(node.operands[0]) = at(pending_.at(node.operands[0])) * 31 + 7;
    } else if (memory_[static_cast<std::size_t>(node.results[0])] == node.results[0]) {
      at(node.results[0]) = mixed;
    }
  }

  const GraphRecord& graph_;
  const BufferPlan& plan_;
  std::vector<int> memory_;
  std::map<int, std::size_t> own_, buffers_;
  std::map<int, int> pending_;
};

// Operators, views and collectives of one size that read what was made before; collectives are waited for later, and all in the end.
GraphRecord drawn_step() {
  SampleGraph sample;
  std::vector<int> made{sample.input(4)}, begun;
  const auto wait_for = [&](std::size_t which) {
    made.push_back(sample.wait(begun[which]));
    begun.erase(begun.begin() + static_cast<std::ptrdiff_t>(which));
  };
  for (int i = *rc::gen::inRange(1, 40); i > 0; --i) {
    // Near ones rather than old ones, so that much is given up.
    const int operand = made[made.size() - 1 - *rc::gen::inRange<std::size_t>(0, std::min<std::size_t>(made.size(), 4))];
    switch (*rc::gen::inRange(0, 5)) {
      case 0: begun.push_back(sample.start("all_reduce", operand, 4)); break;
      case 1:
        if (!begun.empty()) wait_for(*rc::gen::inRange<std::size_t>(0, begun.size()));
        break;
      case 2: made.push_back(sample.view(operand, 4)); break;
      default: made.push_back(sample.add("aten::exp", {operand}, 4));
    }
  }
  while (!begun.empty()) wait_for(0);
  sample.graph.outputs = {sample.add("aten::add", {made.back(), made[made.size() / 2]}, 4)};
  return sample.graph;
}

BufferPlan without_reuse(const GraphRecord& graph) {
  return {.buffer = std::vector<int>(graph.shapes.size(), -1), .bytes = {}};
}

RC_GTEST_PROP(CheckBuffers, TakesEveryPlanThatKeepsWhatIsSentAndItsRunIsTheSame, ()) {
  const GraphRecord graph = drawn_step();
  const BufferPlan plan = plan_buffers(graph), none = without_reuse(graph);
  RC_ASSERT(fault_in(graph, plan) == "");
  RC_ASSERT(LateRun(graph, plan).handed_out() == LateRun(graph, none).handed_out());
}

// Whatever is wrong with a plan: a run that differs is one that the check refuses.
RC_GTEST_PROP(CheckBuffers, RefusesEveryPlanWhoseRunDiffers, ()) {
  const GraphRecord graph = drawn_step();
  BufferPlan plan = plan_buffers(graph, *rc::gen::element(SentBuffers::kept_to_the_wait, SentBuffers::given_up_at_the_start));
  const BufferPlan none = without_reuse(graph);
  if (*rc::gen::inRange(0, 2) == 0 && !plan.bytes.empty())
    for (int& buffer : plan.buffer)
      if (buffer != -1 && *rc::gen::inRange(0, 4) == 0) buffer = *rc::gen::inRange(0, static_cast<int>(plan.bytes.size()));
  const bool differs = LateRun(graph, plan).handed_out() != LateRun(graph, none).handed_out();
  RC_CLASSIFY(differs, "differs");
  RC_CLASSIFY(fault_in(graph, plan) != "", "refused");
  if (differs) RC_ASSERT(fault_in(graph, plan) != "");
}

// The check refuses a plan that gives up early exactly where another node writes in between: counted by hand.
RC_GTEST_PROP(CheckBuffers, RefusesWhatIsGivenUpEarlyExactlyWhereItIsTakenInBetween, ()) {
  const GraphRecord graph = drawn_step();
  const BufferPlan plan = plan_buffers(graph, SentBuffers::given_up_at_the_start);
  const std::vector<int> memory = memory_of(graph);
  const auto buffer = [&](int value) { return plan.buffer[static_cast<std::size_t>(memory[static_cast<std::size_t>(value)])]; };
  bool taken = false;
  for (std::size_t start = 0; start < graph.nodes.size(); ++start) {
    if (!is_start(graph.nodes[start])) continue;
    for (std::size_t at = start + 1; at < graph.nodes.size(); ++at) {
      const GraphNodeRecord& node = graph.nodes[at];
      if (node.op == kWait && node.operands == graph.nodes[start].results) break;
      const int value = node.results[0];
      const bool writes = memory[static_cast<std::size_t>(value)] == value && buffer(value) != -1;
      taken = taken || (writes && (buffer(value) == buffer(graph.nodes[start].operands[0]) ||
                                   buffer(value) == buffer(graph.nodes[start].results[0])));
    }
  }
  RC_CLASSIFY(taken, "taken");
  RC_ASSERT((fault_in(graph, plan) != "") == taken);
}

}  // namespace
}  // namespace ordercheck::captured
