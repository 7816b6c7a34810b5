#include "report/discussion_view.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parity/counters.h"
#include "stack/notation.h"
#include "unit/report/mini.h"

namespace ordercheck {
namespace {

using testing::ElementsAre;

PointView point(const Sources& sources, std::size_t index) {
  return discussion_views(sources, engine_runs_of(sources)).at(0).points.at(index);
}

const PointRuns* runs_on(const PointView& view, const std::string& target) {
  const auto found = std::ranges::find(view.runs, target, &PointRuns::target);
  return found == view.runs.end() ? nullptr : &*found;
}

const PointLine& line(const PointRuns& runs, const std::string& name) {
  const auto found = std::ranges::find(runs.lines, name, &PointLine::name);
  static const PointLine kNone;
  EXPECT_NE(found, runs.lines.end()) << name;
  return found == runs.lines.end() ? kNone : *found;
}

TEST(DiscussionView, LaysTheStacksOfAPointSideBySide) {
  const PointView view = point(mini(), 0);
  EXPECT_EQ(view.title, "1. Point P1");
  EXPECT_EQ(view.pair, "`tp` before `ac`");
  const PointRuns* runs = runs_on(view, "native 2.11.0, cpu");
  ASSERT_NE(runs, nullptr);
  EXPECT_THAT(runs->stacks, ElementsAre("`tp=2,ac,fsdp=2`", "`ac,tp=2,fsdp=2`", "`tp=2,fsdp=2,ac`"));
  EXPECT_THAT(line(*runs, "verdict").cells, ElementsAre("equal", "differs", "not run"));
  EXPECT_EQ(line(*runs, "verdict").same, "no");
  EXPECT_THAT(line(*runs, "matmul flops").cells, ElementsAre("1 234 567", "0", ""));
  EXPECT_THAT(line(*runs, "all_gather on tp in recompute").cells, ElementsAre("6 with 1 234 567 bytes", "0 with 0 bytes", ""));
}

TEST(DiscussionView, SetsOurWordAndTheOtherWayBesideTheirs) {
  const PointView view = point(mini_on_pytorch(), 0);
  EXPECT_EQ(view.why, "A wrapper changes the names that a plan goes by.");
  EXPECT_THAT(view.ours, testing::HasSubstr("ORD-902"));
  EXPECT_EQ(view.other_way, "differs: `ac,tp=2,fsdp=2`");
  EXPECT_EQ(point(mini_unrun(), 0).other_way, "not run");
}

TEST(DiscussionView, SaysWhatDiffersAndLeavesOutWhatIsZero) {
  const PointRuns* runs = nullptr;
  const PointView view = point(mini(), 1);
  ASSERT_NE(runs = runs_on(view, "native 2.11.0, cpu"), nullptr);
  EXPECT_EQ(runs->apart, "What differs: parameter bytes peak.");
  EXPECT_EQ(line(*runs, "saved bytes peak").same, "yes");
  for (const PointLine& one : runs->lines) EXPECT_NE(one.name, "graph captures");
}

TEST(DiscussionView, SaysThatNothingDiffers) {
  Sources sources = mini();
  for (Observation& row : sources.evidence.at(0).rows) row.counters = {.graph_captures = 4};
  const PointView view = point(sources, 1);
  const PointRuns* runs = runs_on(view, "native 2.11.0, cpu");
  ASSERT_NE(runs, nullptr);
  EXPECT_THAT(line(*runs, "graph captures").cells, ElementsAre("4", "4"));
  EXPECT_EQ(runs->apart, "Nothing differs: the verdict, every counter and every collective are the same.");
}

TEST(DiscussionView, SaysWhatWasNotMeasured) {
  Sources sources = mini();
  for (Observation& row : sources.evidence.at(0).rows) row.counters = {.matmul_flops = kNotMeasured, .graph_captures = 4};
  const PointView view = point(sources, 1);
  const PointRuns* runs = runs_on(view, "native 2.11.0, cpu");
  ASSERT_NE(runs, nullptr);
  EXPECT_THAT(line(*runs, "matmul flops").cells, ElementsAre("not measured", "not measured"));
  EXPECT_EQ(line(*runs, "matmul flops").same, "unknown");
  EXPECT_EQ(runs->apart, "Nothing that was measured differs. Not measured: matmul flops.");
}

TEST(DiscussionView, NamesWhatAnEngineHasNoRunOf) {
  const PointView view = point(mini(), 2);
  ASSERT_EQ(view.runs.size(), 2u);
  EXPECT_EQ(view.runs[0].target, "pytorch 2.6");
  EXPECT_EQ(view.runs[0].not_run, "not run");
  EXPECT_EQ(view.runs[1].not_run, "not run: no run of this engine holds `compile`");
  EXPECT_TRUE(view.rules.empty());
  EXPECT_THAT(view.verdicts, ElementsAre("not run"));
}

// Counters of another mesh say nothing about the order.
TEST(DiscussionView, ComparesOnlyStacksOfTheSameTransforms) {
  Sources sources = mini();
  sources.discussions.at(0).points.at(1).stacks = {*parse_stack("ac,fsdp=2"), *parse_stack("tp=2,fsdp=2"),
                                                   *parse_stack("fsdp=2,ac")};
  const PointView view = point(sources, 1);
  ASSERT_EQ(view.runs.size(), 4u);
  EXPECT_THAT(view.runs[1].stacks, ElementsAre("`ac,fsdp=2`", "`fsdp=2,ac`"));
  EXPECT_THAT(view.runs[3].stacks, ElementsAre("`tp=2,fsdp=2`"));
  EXPECT_EQ(view.runs[3].apart, "");
  EXPECT_EQ(line(view.runs[3], "verdict").same, "");
}

TEST(DiscussionView, ShowsOneTableOnce) {
  Sources sources = mini();
  sources.discussions.at(0).points.at(1).stacks = sources.discussions.at(0).points.at(0).stacks;
  const PointRuns* first = nullptr;
  const PointView one = point(sources, 0), other = point(sources, 1);
  ASSERT_NE(first = runs_on(one, "native 2.11.0, cpu"), nullptr);
  EXPECT_EQ(first->told_at, "");
  ASSERT_NE(first = runs_on(other, "native 2.11.0, cpu"), nullptr);
  EXPECT_EQ(first->told_at, "1. Point P1");
}

TEST(DiscussionView, NamesTheBasisOfEachPage) {
  const PointView view = point(mini(), 0);
  ASSERT_EQ(view.rules.size(), 1u);
  EXPECT_EQ(view.rules[0].basis, "incidental");
  EXPECT_EQ(view.rules[0].link, "[ORD-902](rules/ac-before-tp.md)");
}

}  // namespace
}  // namespace ordercheck
