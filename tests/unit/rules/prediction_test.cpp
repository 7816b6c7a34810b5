#include "rules/prediction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stack/notation.h"
#include "unit/rules/page_text.h"

namespace ordercheck {
namespace {

using testing::ElementsAre;

Prediction foresee(const char* stack, const std::vector<Rule>& rules, const char* target) {
  return predict(*parse_stack(stack), rules, *parse_target(target));
}

// A second rule about ac before tp, harm wrong, for pytorch alone.
Rule wrong_rule() {
  std::string text = good_page();
  const auto put = [&](const char* old, const char* fresh) { text.replace(text.find(old), std::string(old).size(), fresh); };
  put("ORD-004", "ORD-003");
  put("fsdp|hsdp", "ac");
  put("harm = \"fails\"", "harm = \"wrong\"");
  put(", \"native>=1\"", "");
  put("fsdp=2,tp=2", "ac,tp=2");
  put("tp=2,fsdp=2", "tp=2,ac");
  text.erase(text.find("[[expect]]"), text.find("-->\n#") - text.find("[[expect]]"));
  return rule_of(text, "rules/order/ac-before-tp.md");
}

TEST(Predict, EqualWhereNoRuleFires) {
  const Prediction prediction = foresee("tp=2,fsdp=2", {rule_of(good_page())}, "pytorch-2.11");
  EXPECT_EQ(prediction.verdict, Verdict::equal);
  EXPECT_EQ(prediction.rule, "");
  EXPECT_TRUE(prediction.fired.empty());
}

TEST(Predict, EqualWhereAPageIsSilentAboutTheProject) {
  Rule rule = wrong_rule();
  rule.silent_elsewhere = true;
  EXPECT_EQ(foresee("ac,tp=2", {rule}, "native-1").verdict, Verdict::equal);
  EXPECT_TRUE(foresee("ac,tp=2", {rule}, "native-1").fired.empty());
  EXPECT_EQ(foresee("ac,tp=2", {rule}, "pytorch-2.11").verdict, Verdict::differs);
}

TEST(Predict, TheHarmOfARuleThatFiresAndHolds) {
  const Prediction prediction = foresee("fsdp=2,tp=2", {rule_of(good_page())}, "pytorch-2.11");
  EXPECT_EQ(prediction.verdict, Verdict::fails);
  EXPECT_EQ(prediction.rule, "ORD-004");
  EXPECT_EQ(prediction.claim.shown.verdict, Verdict::fails);
  EXPECT_EQ(prediction.claim.shown.message, "Cannot distribute a DTensor");
}

TEST(Predict, OpenWhereOnlyRulesAboutOthersFire) {
  const Prediction prediction = foresee("ac,tp=2", {wrong_rule()}, "native-1");
  EXPECT_FALSE(prediction.verdict);
  EXPECT_THAT(prediction.fired, ElementsAre("ORD-003"));
}

TEST(Predict, EqualWhereACommutesPageCoversThePair) {
  Rule commutes = wrong_rule();
  commutes.id = "COM-001";
  commutes.kind = RuleKind::commutes;
  commutes.holds = {*parse_holds("native>=1")};
  const Prediction covered = foresee("ac,tp=2", {wrong_rule(), commutes}, "native-1");
  EXPECT_EQ(covered.verdict, Verdict::equal);
  EXPECT_EQ(covered.rule, "COM-001");
  EXPECT_EQ(foresee("ac,tp=2", {wrong_rule(), commutes}, "pytorch-2.11").rule, "ORD-003") << "a harm that holds is stronger";
  commutes.other = *parse_pattern("cp");
  EXPECT_FALSE(foresee("ac,tp=2", {wrong_rule(), commutes}, "native-1").verdict);
}

TEST(Predict, AFailureHidesOtherNumbers) {
  const Prediction prediction = foresee("ac,fsdp=2,tp=2", {wrong_rule(), rule_of(good_page())}, "pytorch-2.11");
  EXPECT_EQ(prediction.verdict, Verdict::fails);
  EXPECT_EQ(prediction.rule, "ORD-004");
  EXPECT_THAT(prediction.fired, ElementsAre("ORD-003", "ORD-004"));
}

TEST(Predict, OfTwoAsStrongTheOneThatImpliesTheOther) {
  Rule narrow = rule_of(good_page());
  narrow.id = "ORD-005";
  EXPECT_EQ(foresee("fsdp=2,tp=2", {rule_of(good_page()), narrow}, "pytorch-2.11").rule, "ORD-004");
  narrow.implies = {"ORD-004"};
  EXPECT_EQ(foresee("fsdp=2,tp=2", {rule_of(good_page()), narrow}, "pytorch-2.11").rule, "ORD-005");
  EXPECT_EQ(foresee("fsdp=2,tp=2", {narrow, rule_of(good_page())}, "pytorch-2.11").rule, "ORD-005");
}

TEST(Predict, OfTwoFailuresTheOneOfTheEarlierPhase) {
  Rule later = rule_of(good_page());
  later.id = "ORD-005";
  later.expectations.at(0).phase = Phase::optimizer;
  EXPECT_EQ(foresee("fsdp=2,tp=2", {later, rule_of(good_page())}, "pytorch-2.11").rule, "ORD-004");
  EXPECT_EQ(foresee("fsdp=2,tp=2", {rule_of(good_page()), later}, "pytorch-2.11").rule, "ORD-004");
  later.expectations.at(0).phase.reset();
  EXPECT_EQ(foresee("fsdp=2,tp=2", {later, rule_of(good_page())}, "pytorch-2.11").rule, "ORD-005") << "nothing says when";
  later.expectations.at(0).phase = Phase::optimizer;
  later.implies = {"ORD-004"};
  EXPECT_EQ(foresee("fsdp=2,tp=2", {rule_of(good_page()), later}, "pytorch-2.11").rule, "ORD-005");
}

TEST(Predict, ADepartureOfThePredictingPageIsKeptAndChangesNothing) {
  const Rule departing = rule_of(page_with("verdict = \"fails\"\n", "verdict = \"equal\"\nbecause = \"counted all_gather\"\n"));
  const Prediction prediction = foresee("fsdp=2,tp=2", {departing}, "pytorch-2.11");
  EXPECT_EQ(prediction.verdict, Verdict::fails);
  ASSERT_EQ(prediction.claim.departures.size(), 1u);
  EXPECT_EQ(prediction.claim.departures.front().verdict, Verdict::equal);
  EXPECT_EQ(prediction.claim.shown.message, "") << "a departure details no harm";
  EXPECT_TRUE(foresee("fsdp=2,tp=2", {departing}, "pytorch-2.12").claim.departures.empty());
}

TEST(Predict, ADepartureOfAnotherPageThatFiresIsNone) {
  Rule other = rule_of(page_with("verdict = \"fails\"\n", "verdict = \"equal\"\nbecause = \"counted all_gather\"\n"));
  other.harm = Harm::slow;
  Rule predicting = wrong_rule();
  predicting.one = other.one;
  const Prediction prediction = foresee("fsdp=2,tp=2", {other, predicting}, "pytorch-2.11");
  EXPECT_EQ(prediction.rule, "ORD-003");
  EXPECT_TRUE(prediction.claim.departures.empty());
}

std::string starred(const std::string& text) { return "*" + text + "*"; }

TEST(Claim, MarksPatternsAndNothingElse) {
  const Rule rule = rule_of(good_page());
  EXPECT_EQ(claim_of(rule), "fsdp|hsdp applied before tp");
  EXPECT_EQ(claim_of(rule, starred), "*fsdp|hsdp* applied before *tp*");
}

TEST(Claim, NamesWhatStandsBetween) {
  Rule rule = rule_of(good_page());
  rule.between = *parse_pattern("ac|sac");
  EXPECT_EQ(claim_of(rule), "fsdp|hsdp applied before tp, with ac|sac between");
}

TEST(Claim, ACommutesPageFlagsNothing) {
  Rule rule = rule_of(good_page());
  rule.kind = RuleKind::commutes;
  EXPECT_EQ(claim_of(rule), "nothing: fsdp|hsdp and tp may change places");
}

TEST(ExpectationInWords, MarksWhatTheEngineSays) {
  const Rule rule = rule_of(good_page());
  EXPECT_EQ(expectation_in_words(rule.expectations.front(), starred),
            "pytorch 2.11.0 shows fails in apply, *Cannot distribute a DTensor*");
}

TEST(Because, IsAPageInOneLine) {
  Rule rule = rule_of(good_page());
  EXPECT_EQ(because(rule, Grade{}),
            "ORD-004 incidental (cited): FSDP shards what TP left, as of version 2.11 at least "
            "[torchtitan#1554, 2025-08-13]");
  rule.citations.clear();
  EXPECT_EQ(because(rule, Grade{}), "ORD-004 incidental (cited): FSDP shards what TP left, as of version 2.11 at least");
}

TEST(CitedBriefly, SaysWhenTheDateIsNotKnown) {
  Citation citation = rule_of(good_page()).citations.front();
  EXPECT_EQ(cited_briefly(citation), "[torchtitan#1554, 2025-08-13]");
  citation.date = "unknown";
  EXPECT_EQ(cited_briefly(citation), "[torchtitan#1554, undated]");
}

}  // namespace
}  // namespace ordercheck
