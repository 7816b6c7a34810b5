#include "report/pages/order_view.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/observations.h"
#include "stack/notation.h"
#include "unit/report/pages/mini.h"

namespace ordercheck {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(RecommendedOrders, SayWhichOfTheirTransformsNoRunHolds) {
  Sources sources = mini_on_pytorch();
  ASSERT_THAT(recommended_orders(sources, engine_runs_of(sources)).at(0).not_run, IsEmpty());
  for (EvidenceTable& table : sources.evidence)
    std::erase_if(table.rows, [](const Observation& row) { return row.case_text.find("ac") != std::string::npos; });
  sources.observations = observations_of(sources.evidence);
  const RecommendedOrder order = recommended_orders(sources, engine_runs_of(sources)).at(0);
  EXPECT_THAT(order.names, Contains("ac"));
  EXPECT_THAT(order.not_run, ElementsAre("ac"));
}

TEST(RecommendedOrders, OfNothingRecordedAreNotShortened) {
  const Sources sources = mini_unrun();
  EXPECT_THAT(recommended_orders(sources, engine_runs_of(sources)).at(0).not_run, IsEmpty());
}

TEST(RecommendedOrders, SayWhatTheOtherWayShowed) {
  const auto shown = [](const Sources& sources) {
    std::vector<std::string> texts;
    for (const PairReason& reason : recommended_orders(sources, engine_runs_of(sources)).at(0).reasons)
      texts.push_back(reason.other_way);
    return texts;
  };
  EXPECT_THAT(shown(mini_on_pytorch()), ElementsAre("no difference", "no difference"));
  EXPECT_THAT(shown(mini_unrun()), ElementsAre("not run yet", "not run yet"));
}

// The recommended order of the page over the real pages, with runs invented for it.
using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* kOrder = "pp=2,tp=2,ac,compile=inductor,fsdp=2";
constexpr const char* kCured = "pp=2,tp=2:plan=blocks,ac,compile=inductor,fsdp=2";

struct Ran {
  const char* stack;
  Verdict verdict;
};

class OrderRuns : public testing::Test {
 protected:
  // The real pages, with committed runs of PyTorch 2.15.0 alone, and these of the order and its cure.
  static Sources sources_with(const std::vector<Ran>& runs) {
    static const auto loaded = load_sources(ORDERCHECK_SOURCE_DIR);
    EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().message);
    Sources sources = *loaded;
    std::erase_if(sources.evidence, [](const EvidenceTable& table) { return version_of(table.versions) != "2.15.0"; });
    EvidenceTable& table = sources.evidence.at(0);
    const auto text = [](const char* stack) { return std::string(stack) + " engine=pytorch"; };
    Observation row = table.rows.at(0);
    for (const std::string stack : {kOrder, kCured}) {
      std::erase_if(table.rows, [&](const Observation& one) { return one.case_text == text(stack.c_str()); });
    }
    for (const Ran& run : runs) {
      row.case_text = text(run.stack);
      row.verdict = run.verdict;
      table.rows.push_back(row);
    }
    sources.observations = observations_of(sources.evidence);
    return sources;
  }

  static RecommendedOrder order_with(const std::vector<Ran>& runs) {
    const Sources sources = sources_with(runs);
    return recommended_orders(sources, engine_runs_of(sources)).at(0);
  }
};

TEST_F(OrderRuns, TheOrderLeavesNothingOutThatAPageOnlyBlocks) {
  EXPECT_THAT(order_with({}).names, ElementsAre("quantize", "pp", "tp", "ep", "cp", "ac", "compile", "fsdp", "optimizer"));
}

TEST_F(OrderRuns, WithoutARunItIsNoAnswerAndTheStacksToRunAreNamed) {
  const RecommendedOrder order = order_with({});
  ASSERT_THAT(order.runs, SizeIs(1));
  EXPECT_EQ(order.runs[0].target, "pytorch 2.15.0");
  EXPECT_EQ(print(order.runs[0].stack), kOrder);
  EXPECT_THAT(order.runs[0].seen, HasSubstr("not run under inductor yet"));
  EXPECT_THAT(order.runs[0].blockers, ElementsAre(HasSubstr("CLA-017")));
  EXPECT_EQ(print(order.runs[0].cure.value()), kCured);
  EXPECT_FALSE(order.runs[0].no_known_cure);
  ASSERT_THAT(order.gaps, SizeIs(1));
  EXPECT_THAT(order.gaps[0], HasSubstr(std::string("to run with that version: ") + kOrder + " and " + kCured));
}

TEST_F(OrderRuns, WhatNoEngineBuildsIsNoGapAndWhatOneBuildsIs) {
  const Sources sources = sources_with({});
  const std::vector<RecommendedOrder> orders = recommended_orders(sources, engine_runs_of(sources));
  ASSERT_THAT(orders, SizeIs(2));
  EXPECT_THAT(orders[1].names, ElementsAre("quantize", "pp", "tp", "ep", "cp", "ac", "simple_fsdp", "compile", "optimizer"));
  EXPECT_THAT(orders[1].runs, IsEmpty());
  EXPECT_THAT(orders[1].gaps, IsEmpty());
  Sources unrun = sources;
  unrun.evidence.clear();
  unrun.observations.clear();
  EXPECT_THAT(recommended_orders(unrun, {}).at(0).gaps, ElementsAre(HasSubstr("no committed run of pytorch")));
}

TEST_F(OrderRuns, TheStandInForInductorIsNoAnswer) {
  EXPECT_THAT(order_with({{"pp=2,tp=2:plan=blocks,ac,compile,fsdp=2", Verdict::equal}}).gaps, SizeIs(1));
}

TEST_F(OrderRuns, ACureThatRanEqualIsTheAnswer) {
  const RecommendedOrder order = order_with({{kOrder, Verdict::differs}, {kCured, Verdict::equal}});
  EXPECT_THAT(order.gaps, IsEmpty());
  EXPECT_EQ(order.runs[0].seen, "differs");
  EXPECT_EQ(order.runs[0].cure_seen, "equal");
}

TEST_F(OrderRuns, ACureThatDidNotRunEqualIsNone) {
  const RecommendedOrder order = order_with({{kOrder, Verdict::differs}, {kCured, Verdict::ignored}});
  EXPECT_TRUE(order.runs[0].no_known_cure);
  EXPECT_THAT(order.gaps, IsEmpty());
}

TEST_F(OrderRuns, AReleaseOfWhichAFewStacksWereRunIsToldAndIsNoGap) {
  Sources sources = sources_with({{kOrder, Verdict::differs}, {kCured, Verdict::equal}});
  EvidenceTable few = sources.evidence[0];
  few.versions = {"torch 2.12.1"};
  std::erase_if(few.rows, [](const Observation& row) { return row.case_text.starts_with("pp=2,tp=2"); });
  for (Observation& row : few.rows) row.version = "2.12.1";
  sources.evidence.insert(sources.evidence.begin(), few);
  sources.observations = observations_of(sources.evidence);
  const RecommendedOrder order = recommended_orders(sources, engine_runs_of(sources)).at(0);
  ASSERT_THAT(order.runs, SizeIs(2));
  EXPECT_EQ(order.runs[0].target, "pytorch 2.12.1");
  EXPECT_THAT(order.runs[0].seen, HasSubstr("not run under inductor yet"));
  EXPECT_FALSE(order.runs[0].blockers.empty());
  EXPECT_THAT(order.gaps, IsEmpty());
}

TEST_F(OrderRuns, AnOrderThatIsNotEqualThoughNoPageBlocksItIsNoAnswer) {
  Sources sources = sources_with({{kOrder, Verdict::differs}});
  std::erase_if(sources.rules, [](const Rule& rule) { return rule.id == "CLA-017"; });
  const RecommendedOrder order = recommended_orders(sources, engine_runs_of(sources)).at(0);
  ASSERT_THAT(order.gaps, SizeIs(1));
  EXPECT_THAT(order.gaps[0], HasSubstr("no rule says why"));
}

TEST_F(OrderRuns, AnOrderThatLacksOneOfThemIsNoAnswer) {
  const Stack order = *parse_stack("pp=2,tp=2,ac,fsdp=2");
  EXPECT_THAT(order_gaps(order, "fsdp", sources_with({}), {}),
              ElementsAre("the recommended order with fsdp lacks compile", HasSubstr("no committed run of pytorch")));
}

OrderAnswer answer_to(const Sources& sources) {
  const auto engines = engine_runs_of(sources);
  return order_answer(recommended_orders(sources, engines), pair_table(sources, engines), sources, engines);
}

TEST(OrderAnswer, TellsTheOrderAndWhoRanIt) {
  const OrderAnswer answer = answer_to(mini_on_pytorch());
  EXPECT_EQ(answer.target, "pytorch 2.15.0");
  EXPECT_THAT(answer.versions, ElementsAre("2.15.0"));
  EXPECT_THAT(answer.names, ElementsAre("tp", "ac", "fsdp"));
  EXPECT_THAT(answer.silent, IsEmpty()) << "what fails is not silent";
}

TEST(OrderAnswer, TellsWhatIsSilentlyWrongAndWhatToBuildInstead) {
  Sources sources = mini_on_pytorch();
  for (Observation& row : sources.evidence.at(0).rows)
    if (row.case_text == "fsdp=2,tp=2 engine=pytorch") {
      row.verdict = Verdict::differs;
      row.ending = Ending::completed;
    }
  sources.observations = observations_of(sources.evidence);
  const OrderAnswer answer = answer_to(sources);
  ASSERT_EQ(answer.silent.size(), 1u);
  EXPECT_EQ(answer.silent[0]["bad"], "fsdp=2,tp=2");
  EXPECT_EQ(answer.silent[0]["good"], "tp=2,fsdp=2");
}

TEST(OrderAnswer, WithoutARunThereIsTheOrderAlone) {
  const OrderAnswer answer = answer_to(mini_unrun());
  EXPECT_THAT(answer.versions, IsEmpty());
  EXPECT_THAT(answer.names, ElementsAre("tp", "ac", "fsdp"));
  EXPECT_THAT(answer.silent, IsEmpty());
  EXPECT_THAT(answer.blocked, IsEmpty());
}

}  // namespace
}  // namespace ordercheck
