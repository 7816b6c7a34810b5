#include "report/pages/discussion_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stack/notation.h"
#include "unit/report/pages/mini.h"

namespace ordercheck {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

DiscussionView discussion(const Sources& sources) { return discussion_views(sources, engine_runs_of(sources)).at(0); }

PointView point(const Sources& sources, std::size_t index) { return discussion(sources).points.at(index); }

// The mini checkout's table again, as an earlier version that showed `verdict` of tp=2,ac,fsdp=2.
Sources with_an_earlier_version(Verdict verdict) {
  Sources sources = mini();
  EvidenceTable earlier = sources.evidence.at(0);
  earlier.versions = {"libtorch 2.9.0"};
  for (Observation& row : earlier.rows) {
    row.version = "2.9.0";
    if (row.case_text == "tp=2,ac,fsdp=2") row.verdict = verdict;
  }
  sources.evidence.push_back(earlier);
  sources.observations = observations_of(sources.evidence);
  return sources;
}

TEST(DiscussionView, SaysWhatEachStackShowedAndWhereTheRunIs) {
  const Sources sources = mini();
  EXPECT_THAT(discussion(sources).engines, ElementsAre("[native 2.11.0, cpu](evidence/native-2.11.0.md)"));
  const PointView view = point(sources, 0);
  EXPECT_EQ(view.title, "1. Point P1");
  ASSERT_EQ(view.stacks.size(), 3u);
  EXPECT_EQ(view.stacks[0].stack, "`tp=2,ac,fsdp=2`");
  EXPECT_THAT(view.stacks[0].cells, ElementsAre("[equal](evidence/native-2.11.0.md#equal)"));
  EXPECT_THAT(view.stacks[1].cells, ElementsAre("[differs](evidence/native-2.11.0.md#differs)"));
  EXPECT_THAT(view.stacks[2].cells, ElementsAre("not run"));
}

TEST(DiscussionView, NamesTheEarlierVersionsThatShowedSomethingElse) {
  const auto cell = [](const Sources& sources) { return point(sources, 0).stacks.at(0).cells.at(0); };
  EXPECT_EQ(cell(with_an_earlier_version(Verdict::differs)), "[equal](evidence/native-2.11.0.md#equal); 2.9.0: differs");
  EXPECT_EQ(cell(with_an_earlier_version(Verdict::equal)), "[equal](evidence/native-2.11.0.md#equal)");
}

TEST(DiscussionView, SaysWhatCostsMore) {
  Sources sources = mini();
  sources.discussions.at(0).points.at(0).stacks = {*parse_stack("ac,tp=2")};
  for (Rule& rule : sources.rules) {
    if (rule.id != "ORD-902") continue;
    rule.harm = Harm::slow;
    rule.expectations.at(0) = {.engine = "native",
                               .version = rule.expectations.at(0).version,
                               .verdict = Verdict::equal,
                               .move = Move::more,
                               .counter = "operators_recomputed"};
  }
  EXPECT_THAT(point(sources, 0).stacks.at(0).cells, ElementsAre("[equal](evidence/native-2.11.0.md#equal)"))
      << "it recomputes no more than the good stack";
  for (Observation& row : sources.evidence.at(0).rows)
    if (row.case_text == "ac,tp=2") row.counters.operators_recomputed = 9;
  sources.observations = observations_of(sources.evidence);
  EXPECT_THAT(point(sources, 0).stacks.at(0).cells, ElementsAre("[equal, slower](evidence/native-2.11.0.md#equal)"));
}

TEST(DiscussionView, SetsOurWordAndTheOtherWayBesideTheirs) {
  const PointView view = point(mini_on_pytorch(), 0);
  EXPECT_EQ(view.why, "A wrapper changes the names that a plan goes by.");
  EXPECT_THAT(view.ours, testing::HasSubstr("ORD-902"));
  EXPECT_EQ(view.other_way, "silently wrong: `ac,tp=2,fsdp=2`");
  EXPECT_EQ(point(mini_unrun(), 0).other_way, "not run");
}

TEST(DiscussionView, NamesWhatAnEngineHasNoRunOf) {
  const PointView view = point(mini(), 2);
  EXPECT_THAT(view.stacks.at(0).cells, ElementsAre("not run: no run holds `compile`"));
  EXPECT_EQ(view.pages, "");
  EXPECT_THAT(discussion(mini_unrun()).engines, IsEmpty());
}

TEST(DiscussionView, NamesTheBasisAndTheHarmOfEachPage) {
  EXPECT_EQ(point(mini(), 0).pages, "[ORD-902](rules/ac-before-tp.md) (incidental, wrong)");
}

}  // namespace
}  // namespace ordercheck
