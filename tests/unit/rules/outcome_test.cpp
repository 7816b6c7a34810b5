#include "rules/outcome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/counters.h"
#include "stack/notation.h"
#include "unit/record/honest_record.h"
#include "unit/rules/sample_rules.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;

const Target kNative{.project = "native", .implementation = "", .version = *parse_version("2.11.0")};

Observation seen_on(const char* stack, Verdict verdict) {
  const Case subject{.stack = *parse_stack(stack)};
  const Record record = honest_record(subject);
  Observation seen{.engine = "native",
                   .version = "2.11.0",
                   .case_text = print(subject),
                   .verdict = verdict,
                   .counters = record.counters,
                   .collectives = record.collectives};
  if (verdict == Verdict::fails) {
    seen.phase = Phase::apply;
    seen.message = "mixed tensors";
  }
  return seen;
}

Outcome outcome_of(const Observation& seen, const std::vector<Rule>& rules) {
  return outcome_of(*parse_case(seen.case_text), seen, Catalogue(rules), kNative);
}

Outcome outcome_of(const char* stack, Verdict verdict, const std::vector<Rule>& rules) {
  return outcome_of(seen_on(stack, verdict), rules);
}

void hold_pairs(std::vector<Outcome>& outcomes, const std::vector<Rule>& rules) {
  std::vector<Outcome*> all;
  for (Outcome& outcome : outcomes) all.push_back(&outcome);
  hold_pairs_against_rules(all, rules, kNative);
}

Expectation pinned(Verdict verdict, Phase phase, std::string because) {
  Expectation expectation;
  expectation.engine = "native";
  expectation.version = *parse_version("2.11.0");
  expectation.verdict = verdict;
  if (verdict == Verdict::fails) expectation.phase = phase;
  expectation.because = std::move(because);
  return expectation;
}

TEST(Agreement, APredictedHarmThatIsSeenConfirms) {
  EXPECT_EQ(outcome_of("fsdp=2,tp=2", Verdict::fails, sample_rules()).agreement, Agreement::confirmed);
  EXPECT_EQ(outcome_of("tp=2,fsdp=2", Verdict::equal, sample_rules()).agreement, Agreement::confirmed);
}

TEST(Agreement, SomethingElseContradicts) {
  const auto outcome = outcome_of("fsdp=2,tp=2", Verdict::equal, sample_rules());
  EXPECT_EQ(outcome.agreement, Agreement::contradiction);
  EXPECT_EQ(outcome.disagreement, "ORD-901 predicts fails; seen: equal");
  EXPECT_EQ(outcome.explanation, "");
}

TEST(Agreement, AHarmThatNoRulePredictsContradicts) {
  const auto outcome = outcome_of("tp=2,fsdp=2", Verdict::differs, sample_rules());
  EXPECT_EQ(outcome.agreement, Agreement::contradiction);
  EXPECT_EQ(outcome.disagreement, "no rule flags it, so equal is predicted; seen: differs");
}

TEST(Agreement, WhatAUsersFunctionShowsAgainstAPredictionIsOpen) {
  Observation seen = seen_on("fsdp=2,tp=2", Verdict::equal);
  seen.case_text += " model=mine:network apply=mine:parallelize";
  const auto outcome = outcome_of(seen, sample_rules());
  EXPECT_EQ(outcome.agreement, Agreement::open);
  EXPECT_EQ(outcome.open_because,
            "ORD-901 predicts fails; seen: equal. mine:parallelize may build something else than rules speak of");
  // A harm that no page predicts, where equal is predicted and where nothing is.
  Observation harmed = seen_on("tp=2,fsdp=2", Verdict::differs);
  harmed.case_text += " model=mine:network apply=mine:parallelize";
  EXPECT_EQ(outcome_of(harmed, sample_rules()).agreement, Agreement::open);
  EXPECT_THAT(outcome_of(harmed, sample_rules()).open_because, HasSubstr("so equal is predicted; seen: differs. mine:"));
  auto of_others = sample_rules();
  of_others[0].holds = {*parse_holds("pytorch>=2.6")};
  Observation failed = seen_on("fsdp=2,tp=2", Verdict::fails);
  failed.case_text += " model=mine:network apply=mine:parallelize";
  EXPECT_EQ(outcome_of(failed, of_others).agreement, Agreement::open);
}

TEST(Agreement, WhatAUsersFunctionShowsAsPredictedConfirms) {
  Observation seen = seen_on("fsdp=2,tp=2", Verdict::fails);
  seen.case_text += " model=mine:network apply=mine:parallelize";
  EXPECT_EQ(outcome_of(seen, sample_rules()).agreement, Agreement::confirmed);
}

TEST(Agreement, ARuleAboutSomebodyElseLeavesItOpen) {
  auto rules = sample_rules();
  rules[0].holds = {*parse_holds("pytorch>=2.6")};
  EXPECT_EQ(outcome_of("fsdp=2,tp=2", Verdict::equal, rules).agreement, Agreement::open);
  EXPECT_EQ(outcome_of("fsdp=2,tp=2", Verdict::fails, rules).agreement, Agreement::contradiction);
}

TEST(Agreement, NothingShownIsUndecided) {
  EXPECT_EQ(outcome_of("fsdp=2,tp=2", Verdict::unrun, sample_rules()).agreement, Agreement::undecided);
  EXPECT_EQ(outcome_of("tp=2,fsdp=2", Verdict::unstable, sample_rules()).agreement, Agreement::undecided);
}

TEST(Agreement, WithoutTheGridADifferenceSaysNothing) {
  Observation seen = seen_on("tp=2,fsdp=2", Verdict::differs);
  seen.case_text += " arithmetic=plain";
  EXPECT_EQ(outcome_of(seen, sample_rules()).agreement, Agreement::open);
}

TEST(Agreement, AForeignFailureConfirmsNothing) {
  auto rules = sample_rules();
  rules[0].expectations[0].phase = Phase::forward;
  const auto outcome = outcome_of("fsdp=2,tp=2", Verdict::fails, rules);
  EXPECT_EQ(outcome.agreement, Agreement::contradiction);
  EXPECT_THAT(outcome.disagreement, HasSubstr("the rule says in forward, seen in apply"));
  rules[0].expectations[0].phase = Phase::apply;
  EXPECT_EQ(outcome_of("fsdp=2,tp=2", Verdict::fails, rules).agreement, Agreement::confirmed);
  rules[0].expectations[0].message = "unmixed";
  EXPECT_EQ(outcome_of("fsdp=2,tp=2", Verdict::fails, rules).agreement, Agreement::contradiction);
}

TEST(Agreement, AFailureThatNoPagePinsConfirmsNothing) {
  auto rules = sample_rules();
  rules[0].expectations.clear();
  const auto outcome = outcome_of("fsdp=2,tp=2", Verdict::fails, rules);
  EXPECT_EQ(outcome.agreement, Agreement::open);
  EXPECT_EQ(outcome.open_because, "ORD-901: it fails, but no rule pins in which phase and with what message");
}

TEST(Agreement, AnIgnoredTransformIsTheOneThatThePageNames) {
  auto rules = sample_rules();
  rules[0].harm = Harm::ignored;
  rules[0].loses = *parse_pattern("tp");
  rules[0].expectations.clear();
  Observation seen = seen_on("fsdp=2,tp=2", Verdict::ignored);
  seen.effects = {{.transform = "tp=2", .present = false}, {.transform = "fsdp=2", .present = false, .partly = true}};
  EXPECT_EQ(outcome_of(seen, rules).agreement, Agreement::confirmed);
  seen.effects[0].present = true;
  EXPECT_EQ(outcome_of(seen, rules).disagreement, "ORD-901 predicts ignored; fsdp=2 lost its effect, not tp");
}

TEST(Agreement, InNativeArithmeticCloseBearsOutEqual) {
  EXPECT_EQ(outcome_of("tp=2,fsdp=2", Verdict::close, sample_rules()).agreement, Agreement::confirmed);
}

// ORD-902 fires too and says otherwise of this version; the prediction is ORD-901's.
TEST(Agreement, ADepartureOfAnotherPageExplainsNothing) {
  auto rules = sample_rules();
  Rule other = sample_order_rule();
  other.id = "ORD-902";
  other.harm = Harm::slow;
  other.expectations = {pinned(Verdict::ignored, Phase::apply, "its own affair")};
  other.expectations[0].loses = *parse_pattern("tp");
  rules.push_back(other);
  const auto contradicting = [&](const std::vector<Rule>& those) {
    Observation seen = seen_on("fsdp=2,tp=2", Verdict::ignored);
    seen.effects = {{.transform = "tp=2", .present = false}};
    const Outcome outcome = outcome_of(seen, those);
    EXPECT_EQ(outcome.agreement, Agreement::contradiction);
    return outcome.explanation;
  };
  EXPECT_EQ(contradicting(rules), "");
  EXPECT_EQ(contradicting({other}), "its own affair");
}

TEST(Agreement, AFailureThatDepartsExplainsInItsPhaseAndWithItsMessage) {
  auto rules = sample_rules();
  rules[0].harm = Harm::wrong;
  rules[0].expectations[0].because = "it is refused while tp is applied";
  EXPECT_EQ(outcome_of("fsdp=2,tp=2", Verdict::fails, rules).explanation, "it is refused while tp is applied");
  rules[0].expectations[0].phase = Phase::backward;
  EXPECT_EQ(outcome_of("fsdp=2,tp=2", Verdict::fails, rules).explanation, "");
}

TEST(Agreement, ADepartureThatThePageStatesExplains) {
  auto rules = sample_rules();
  rules[0].expectations = {pinned(Verdict::equal, Phase::apply, "this engine shards what tp left")};
  const auto outcome = outcome_of("fsdp=2,tp=2", Verdict::equal, rules);
  EXPECT_EQ(outcome.agreement, Agreement::contradiction);
  EXPECT_EQ(outcome.explanation, "this engine shards what tp left");
  EXPECT_EQ(outcome_of("fsdp=2,tp=2", Verdict::hangs, rules).explanation, "");
}

TEST(Pairs, CommutingOrdersMustAgreeInCounters) {
  std::vector<Outcome> outcomes{outcome_of("ac,tp=2", Verdict::equal, sample_rules()),
                                outcome_of("tp=2,ac", Verdict::equal, sample_rules())};
  hold_pairs(outcomes, sample_rules());
  EXPECT_EQ(outcomes[0].agreement, Agreement::confirmed);
  outcomes[1].seen.counters.operators_recomputed += 1;
  hold_pairs(outcomes, sample_rules());
  EXPECT_EQ(outcomes[0].agreement, Agreement::contradiction);
  EXPECT_EQ(outcomes[0].disagreement, "COM-901 says that the orders commute; operators_recomputed is 100 and 101");
}

TEST(Pairs, ACounterThatWasNotMeasuredLeavesCommutingOpen) {
  std::vector<Outcome> outcomes{outcome_of("ac,tp=2", Verdict::equal, sample_rules()),
                                outcome_of("tp=2,ac", Verdict::equal, sample_rules())};
  outcomes[0].seen.counters.saved_bytes_peak = kNotMeasured;
  hold_pairs(outcomes, sample_rules());
  EXPECT_EQ(outcomes[0].agreement, Agreement::open);
  EXPECT_EQ(outcomes[0].open_because, "COM-901: saved_bytes_peak is not measured by native");
  outcomes[1].seen.counters.operators_recomputed += 1;
  hold_pairs(outcomes, sample_rules());
  EXPECT_EQ(outcomes[0].agreement, Agreement::contradiction) << "what was measured still counts";
  EXPECT_EQ(outcomes[0].open_because, "");
}

TEST(Pairs, ACounterMustMoveAsThePageSays) {
  auto rules = sample_rules();
  rules[0].harm = Harm::slow;
  rules[0].expectations = {pinned(Verdict::equal, Phase::apply, "")};
  rules[0].expectations[0].move = Move::more;
  rules[0].expectations[0].counter = "operators_recomputed";
  std::vector<Outcome> outcomes{outcome_of("fsdp=2,tp=2", Verdict::equal, rules),
                                outcome_of("tp=2,fsdp=2", Verdict::equal, rules)};
  ASSERT_EQ(outcomes[0].agreement, Agreement::confirmed);
  outcomes[0].seen.counters.operators_recomputed = 7;
  hold_pairs(outcomes, rules);
  EXPECT_EQ(outcomes[0].agreement, Agreement::confirmed);
  outcomes[0].seen.counters.operators_recomputed = 0;
  hold_pairs(outcomes, rules);
  EXPECT_EQ(outcomes[0].disagreement, "ORD-901: operators_recomputed is 0 against 0 in the good stack, not more");
}

TEST(Pairs, ACostWithoutACounterStaysOpen) {
  auto rules = sample_rules();
  rules[0].harm = Harm::slow;
  rules[0].expectations.clear();
  std::vector<Outcome> outcomes{outcome_of("fsdp=2,tp=2", Verdict::equal, rules),
                                outcome_of("tp=2,fsdp=2", Verdict::equal, rules)};
  ASSERT_EQ(outcomes[0].agreement, Agreement::confirmed) << "of any stack, equal is all that is predicted";
  hold_pairs(outcomes, rules);
  EXPECT_EQ(outcomes[0].agreement, Agreement::open);
  EXPECT_EQ(outcomes[0].open_because, "ORD-901: equal numbers say nothing about cost, and no rule pins a counter that moves");
}

TEST(Pairs, ACostThatStaysTheSameIsAContradictionWhichItsOwnPageMayExplain) {
  auto rules = sample_rules();
  rules[0].harm = Harm::slow;
  rules[0].expectations = {pinned(Verdict::equal, Phase::apply, "as many in both")};
  rules[0].expectations[0].move = Move::same;
  rules[0].expectations[0].counter = "operators_recomputed";
  std::vector<Outcome> outcomes{outcome_of("fsdp=2,tp=2", Verdict::equal, rules),
                                outcome_of("tp=2,fsdp=2", Verdict::equal, rules)};
  hold_pairs(outcomes, rules);
  EXPECT_EQ(outcomes[0].agreement, Agreement::contradiction);
  EXPECT_EQ(outcomes[0].explanation, "as many in both");
}

TEST(Pairs, AMoveThatNobodyMeasuredConfirmsNothing) {
  auto rules = sample_rules();
  rules[0].harm = Harm::slow;
  rules[0].expectations = {pinned(Verdict::equal, Phase::apply, "")};
  rules[0].expectations[0].move = Move::more;
  rules[0].expectations[0].counter = "operators_recomputed";
  for (const std::size_t unmeasured : {0, 1}) {
    std::vector<Outcome> outcomes{outcome_of("fsdp=2,tp=2", Verdict::equal, rules),
                                  outcome_of("tp=2,fsdp=2", Verdict::equal, rules)};
    outcomes[0].seen.counters.operators_recomputed = 7;
    outcomes[unmeasured].seen.counters.operators_recomputed = kNotMeasured;
    hold_pairs(outcomes, rules);
    EXPECT_EQ(outcomes[0].agreement, Agreement::open) << unmeasured;
    EXPECT_EQ(outcomes[0].open_because, "ORD-901: operators_recomputed is not measured by native");
  }
}

}  // namespace
}  // namespace ordercheck
