#include "report/pages/point_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stack/notation.h"
#include "unit/report/pages/mini.h"

namespace ordercheck {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

PointView point(const Sources& sources, std::size_t index) { return point_views(sources, engine_runs_of(sources)).at(index); }

// The runs of the small checkout, and the same on PyTorch with `case_text` instead of ac,tp=2,fsdp=2.
Sources on_both(const std::string& case_text, Verdict verdict_by_definition) {
  Sources sources = mini_on_pytorch();
  for (Observation& row : sources.evidence.at(0).rows)
    if (row.case_text == "ac,tp=2,fsdp=2 engine=pytorch") row.case_text = case_text + " engine=pytorch";
  for (EvidenceTable table : mini().evidence) {
    for (Observation& row : table.rows)
      if (row.case_text == "ac,tp=2,fsdp=2") row.verdict = verdict_by_definition;
    sources.evidence.push_back(std::move(table));
  }
  sources.observations = observations_of(sources.evidence);
  return sources;
}

TEST(PointView, SaysNoWhereTheOtherOrderHarmsAndYesWhereItDoesNot) {
  const Sources sources = mini_on_pytorch();
  const PointView harmed = point(sources, 0), fine = point(sources, 1);
  EXPECT_EQ(harmed.said, "[sounds | not fundamental]");
  EXPECT_EQ(harmed.change, "no: silently wrong: `ac,tp=2,fsdp=2`");
  EXPECT_EQ(harmed.needs, "an invented plan");
  EXPECT_EQ(harmed.elsewhere, "no implementation known");
  EXPECT_EQ(fine.change, "yes: no difference: `fsdp=2,ac`");
  EXPECT_EQ(fine.needs + fine.elsewhere, "") << "nothing has to change";
}

TEST(PointView, SaysInPartWhereOneOfTwoStacksHarms) {
  Sources sources = mini_on_pytorch();
  sources.topics.points.at(0).turned.push_back(*parse_stack("ac,tp=2"));
  EXPECT_EQ(point(sources, 0).change, "in part: silently wrong: `ac,tp=2,fsdp=2`; no difference: `ac,tp=2`");
}

TEST(PointView, NamesTheTrainerThatTheRunHad) {
  const Sources sources = on_both("ac,tp=2,fsdp=2,optimizer=adamw", Verdict::differs);
  EXPECT_EQ(point(sources, 0).change, "no: silently wrong: `ac,tp=2,fsdp=2,optimizer=adamw`");
}

TEST(PointView, NamesTheEngineThatHasItWorking) {
  EXPECT_EQ(point(on_both("ac,tp=2,fsdp=2", Verdict::equal), 0).elsewhere, "native 2.11.0: `ac,tp=2,fsdp=2`");
  EXPECT_EQ(point(on_both("ac,tp=2,fsdp=2", Verdict::differs), 0).elsewhere, "no implementation known");
}

TEST(PointView, NamesAVariantThatWorksAndOneThatNobodyRan) {
  Sources sources = mini_on_pytorch();
  Point& asked = sources.topics.points.at(0);
  asked.variants = {*parse_stack("ac,tp=2:plan=blocks,fsdp=2")};
  EXPECT_EQ(point(sources, 0).elsewhere, "not run: `ac,tp=2:plan=blocks,fsdp=2`");
  for (Observation& row : sources.evidence.at(0).rows)
    if (row.case_text == "tp=2,fsdp=2 engine=pytorch") row.case_text = "ac,tp=2:plan=blocks,fsdp=2 engine=pytorch";
  EXPECT_EQ(point(sources, 0).elsewhere, "pytorch 2.15.0: `ac,tp=2:plan=blocks,fsdp=2`");
}

TEST(PointView, IsNotRunWithoutARun) { EXPECT_EQ(point(mini_unrun(), 0).change, "not run"); }

}  // namespace
}  // namespace ordercheck
