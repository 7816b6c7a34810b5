#include "report/pages/pair_view.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stack/notation.h"
#include "unit/report/pages/mini.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;

PairView pair(const Sources& sources, std::size_t index) { return pair_views(sources, engine_runs_of(sources)).at(index); }

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

TEST(PairView, SaysNoWhereTheOtherOrderHarmsAndYesWhereItDoesNot) {
  const Sources sources = mini_on_pytorch();
  const PairView harmed = pair(sources, 0), fine = pair(sources, 1);
  EXPECT_EQ(harmed.said, "[sounds | not fundamental]");
  EXPECT_EQ(harmed.answer, "no");
  EXPECT_EQ(harmed.turned, "`ac,tp=2,fsdp=2`: silently wrong");
  EXPECT_EQ(harmed.good + harmed.reason, "") << "no rule speaks about this engine";
  EXPECT_EQ(harmed.needs, "an invented plan");
  EXPECT_EQ(harmed.elsewhere, "No implementation is known.");
  EXPECT_EQ(fine.answer, "yes");
  EXPECT_EQ(fine.turned, "`fsdp=2,ac`: no difference");
  EXPECT_THAT(fine.reason, HasSubstr("([COM-901](../rules/commutes/ac-with-fsdp.md), incidental)"));
  EXPECT_EQ(fine.good + fine.needs + fine.elsewhere, "") << "nothing has to change";
}

TEST(PairView, GivesTheReasonOfTheRuleThatPredictsTheHarm) {
  Sources sources = mini_on_pytorch();
  const auto rule = std::ranges::find(sources.rules, "ORD-902", &Rule::id);
  ASSERT_NE(rule, sources.rules.end());
  rule->holds.front().project = "pytorch";
  EXPECT_EQ(pair(sources, 0).good, "`tp=2,ac`");
  EXPECT_EQ(pair(sources, 0).reason, "It is invented too ([ORD-902](../rules/order/ac-before-tp.md), incidental)");
  rule->harm = Harm::fails;
  EXPECT_EQ(pair(sources, 0).reason, "") << "another harm is no reason";
}

TEST(PairView, SaysInPartWhereOneOfTwoStacksHarms) {
  Sources sources = mini_on_pytorch();
  sources.topics.pairs.at(0).turned.push_back(*parse_stack("ac,tp=2"));
  EXPECT_EQ(pair(sources, 0).answer, "in part");
  EXPECT_EQ(pair(sources, 0).turned, "`ac,tp=2,fsdp=2`: silently wrong; `ac,tp=2`: no difference");
}

TEST(PairView, NamesTheTrainerThatTheRunHad) {
  const Sources sources = on_both("ac,tp=2,fsdp=2,optimizer=adamw", Verdict::differs);
  EXPECT_EQ(pair(sources, 0).turned, "`ac,tp=2,fsdp=2,optimizer=adamw`: silently wrong");
}

TEST(PairView, NamesTheEngineThatHasItWorking) {
  EXPECT_EQ(pair(on_both("ac,tp=2,fsdp=2", Verdict::equal), 0).elsewhere, "`ac,tp=2,fsdp=2` works on native 2.11.0.");
  EXPECT_EQ(pair(on_both("ac,tp=2,fsdp=2", Verdict::differs), 0).elsewhere, "No implementation is known.");
}

TEST(PairView, NamesAVariantThatWorksAndOneThatNobodyRan) {
  Sources sources = mini_on_pytorch();
  AskedPair& asked = sources.topics.pairs.at(0);
  asked.variants = {*parse_stack("ac,tp=2:plan=blocks,fsdp=2")};
  EXPECT_EQ(pair(sources, 0).elsewhere, "`ac,tp=2:plan=blocks,fsdp=2` was not run.");
  for (Observation& row : sources.evidence.at(0).rows)
    if (row.case_text == "tp=2,fsdp=2 engine=pytorch") row.case_text = "ac,tp=2:plan=blocks,fsdp=2 engine=pytorch";
  EXPECT_EQ(pair(sources, 0).elsewhere, "`ac,tp=2:plan=blocks,fsdp=2` works on pytorch 2.15.0.");
}

TEST(PairView, IsNotRunWithoutARun) { EXPECT_EQ(pair(mini_unrun(), 0).answer, "not run"); }

}  // namespace
}  // namespace ordercheck
