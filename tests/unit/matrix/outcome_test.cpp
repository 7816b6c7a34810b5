#include "matrix/outcome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parity/counters.h"
#include "stack/notation.h"
#include "unit/matrix/fake_runner.h"
#include "unit/matrix/sample_rules.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;

const Target kNative{.project = "native", .implementation = "", .version = *parse_version("2.11.0")};

Outcome outcome_of(const char* stack, Verdict verdict, const std::vector<Rule>& rules) {
  Outcome outcome;
  outcome.planned.subject.stack = *parse_stack(stack);
  outcome.record = honest_record(outcome.planned.subject);
  if (verdict == Verdict::fails) fail_in_apply(outcome.record, {});
  outcome.judgement.verdict = verdict;
  outcome.prediction = predict(outcome.planned.subject.stack, rules, kNative);
  hold_against_rules(outcome);
  return outcome;
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
  EXPECT_EQ(outcome.disagreement, "no rule fires, so equal is predicted; seen: differs");
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
  Outcome outcome = outcome_of("tp=2,fsdp=2", Verdict::differs, sample_rules());
  outcome.planned.subject.settings.arithmetic = Arithmetic::plain;
  hold_against_rules(outcome);
  EXPECT_EQ(outcome.agreement, Agreement::open);
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

TEST(Agreement, AForeignFailureConfirmsNothing) {
  auto rules = sample_rules();
  rules[0].expectations = {pinned(Verdict::fails, Phase::forward, "")};
  const auto outcome = outcome_of("fsdp=2,tp=2", Verdict::fails, rules);
  EXPECT_EQ(outcome.agreement, Agreement::contradiction);
  EXPECT_THAT(outcome.disagreement, HasSubstr("the page says in forward, seen in apply"));
  rules[0].expectations[0].phase = Phase::apply;
  rules[0].expectations[0].message = "mixed";
  EXPECT_EQ(outcome_of("fsdp=2,tp=2", Verdict::fails, rules).agreement, Agreement::confirmed);
  rules[0].expectations[0].message = "unmixed";
  EXPECT_EQ(outcome_of("fsdp=2,tp=2", Verdict::fails, rules).agreement, Agreement::contradiction);
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
  hold_pairs_against_rules(outcomes, sample_rules(), kNative);
  EXPECT_EQ(outcomes[0].agreement, Agreement::confirmed);
  outcomes[1].record.counters.operators_recomputed += 1;
  hold_pairs_against_rules(outcomes, sample_rules(), kNative);
  EXPECT_EQ(outcomes[0].agreement, Agreement::contradiction);
  EXPECT_EQ(outcomes[0].disagreement, "COM-901 says that the orders commute; operators_recomputed is 100 and 101");
}

TEST(Pairs, ACounterThatWasNotMeasuredLeavesCommutingOpen) {
  std::vector<Outcome> outcomes{outcome_of("ac,tp=2", Verdict::equal, sample_rules()),
                                outcome_of("tp=2,ac", Verdict::equal, sample_rules())};
  outcomes[0].record.counters.saved_bytes_peak = kNotMeasured;
  hold_pairs_against_rules(outcomes, sample_rules(), kNative);
  EXPECT_EQ(outcomes[0].agreement, Agreement::open);
  EXPECT_EQ(outcomes[0].open_because, "COM-901: saved_bytes_peak is not measured by native");
  outcomes[1].record.counters.operators_recomputed += 1;
  hold_pairs_against_rules(outcomes, sample_rules(), kNative);
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
  outcomes[0].record.counters.operators_recomputed = 7;
  hold_pairs_against_rules(outcomes, rules, kNative);
  EXPECT_EQ(outcomes[0].agreement, Agreement::confirmed);
  outcomes[0].record.counters.operators_recomputed = 0;
  hold_pairs_against_rules(outcomes, rules, kNative);
  EXPECT_EQ(outcomes[0].disagreement, "ORD-901 says more operators_recomputed; it is 0, and 0 in the good order");
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
    outcomes[0].record.counters.operators_recomputed = 7;
    outcomes[unmeasured].record.counters.operators_recomputed = kNotMeasured;
    hold_pairs_against_rules(outcomes, rules, kNative);
    EXPECT_EQ(outcomes[0].agreement, Agreement::open) << unmeasured;
    EXPECT_EQ(outcomes[0].open_because, "ORD-901: operators_recomputed is not measured by native");
  }
}

TEST(Evidence, OfAMatrixIsSortedByCase) {
  MatrixResult result;
  result.hello = FakeRunner().hello();
  result.outcomes = {outcome_of("tp=2,fsdp=2", Verdict::equal, sample_rules()),
                     outcome_of("fsdp=2,tp=2", Verdict::fails, sample_rules())};
  const auto table = evidence_of(result);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].case_text, "fsdp=2,tp=2");
  EXPECT_EQ(table.rows[0].phase, "apply");
  EXPECT_EQ(table.device, "cpu");
  EXPECT_EQ(table.arithmetic, "exact");
}

}  // namespace
}  // namespace ordercheck
