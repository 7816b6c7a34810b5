// Every page's witness: `bad` raises exactly the rule and what it implies, `good` raises no error and not the rule, and
// no item of `bad` can be spared.
#include <algorithm>
#include <set>

#include "rules/pages.h"
#include "rules/prediction.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

class Witnesses : public testing::TestWithParam<Rule> {
 protected:
  const Rule& rule() const { return GetParam(); }
  Judge judge() const { return Judge(pages(), target_of(rule()), none_, job_of(rule().witness)); }

  // A defect of one project that is there with any stack of a transform is beside the point of another page.
  bool is_beside_the_point(const Rule& other) const {
    return other.silent_elsewhere && other.kind == RuleKind::effect && other.id != rule().id && !is_implied(other);
  }

  bool is_implied(const Rule& other) const { return std::ranges::count(rule().implies, other.id) > 0; }

  std::set<std::string> ids(const Stack& stack) const {
    std::set<std::string> fired;
    for (const Finding& finding : findings_of(stack, judge()))
      if (!is_beside_the_point(*find_rule(pages(), finding.rule))) fired.insert(finding.rule);
    return fired;
  }

 private:
  std::vector<Observation> none_;
};

TEST_P(Witnesses, BadRaisesExactlyTheRuleAndWhatItImplies) {
  if (rule().kind == RuleKind::commutes) {
    EXPECT_FALSE(has_error(findings_of(rule().witness.bad, judge()))) << print(rule().witness.bad);
    return;
  }
  std::set<std::string> expected(rule().implies.begin(), rule().implies.end());
  expected.insert(rule().id);
  EXPECT_EQ(ids(rule().witness.bad), expected) << print(rule().witness.bad);
}

TEST_P(Witnesses, GoodRaisesNoErrorAndNotTheRule) {
  EXPECT_FALSE(has_error(findings_of(rule().witness.good, judge()))) << print(rule().witness.good);
  EXPECT_FALSE(ids(rule().witness.good).contains(rule().id)) << print(rule().witness.good);
}

TEST_P(Witnesses, NoItemOfBadCanBeSpared) {
  if (rule().kind == RuleKind::commutes) {
    EXPECT_EQ(rule().witness.bad.items.size(), 2u) << "two items are enough to change places";
    return;
  }
  for (std::size_t spared = 0; spared < rule().witness.bad.items.size(); ++spared) {
    Stack smaller = rule().witness.bad;
    smaller.items.erase(smaller.items.begin() + static_cast<std::ptrdiff_t>(spared));
    EXPECT_FALSE(ids(smaller).contains(rule().id)) << "without item " << spared << ": " << print(smaller);
  }
}

TEST_P(Witnesses, PredictsItsHarmWhereItHolds) {
  const Prediction prediction = predict(rule().witness.bad, pages(), target_of(rule()), job_of(rule().witness));
  if (rule().kind == RuleKind::commutes) {
    // A page against the pair in any order, which is about others, leaves the prediction open: without it the two
    // commute.
    std::vector<Rule> meant = pages();
    std::erase_if(meant,
                  [&](const Rule& other) { return other.kind == RuleKind::clash && !holds_for(other, target_of(rule())); });
    EXPECT_EQ(predict(rule().witness.bad, meant, target_of(rule()), job_of(rule().witness)).verdict, Verdict::equal);
    return;
  }
  ASSERT_TRUE(prediction.verdict);
  EXPECT_TRUE(std::ranges::count(prediction.fired, rule().id)) << print(rule().witness.bad);
  if (prediction.rule == rule().id) {
    EXPECT_EQ(*prediction.verdict, verdict_of(rule().harm));
  }
}

TEST_P(Witnesses, WhatIsTriedAgainstAnErrorIsFreeOfErrors) {
  const Judge all = judge();
  const Report report = check(rule().witness.bad, all);
  for (const Finding& finding : report.findings) {
    if (finding.severity != Severity::error) continue;
    ASSERT_FALSE(finding.tries.empty()) << finding.rule << " on " << print(rule().witness.bad);
    for (const Try& one : finding.tries) EXPECT_FALSE(has_error(findings_of(one.stack, all))) << print(one.stack);
  }
}

// Sizes are not taken over from a page; everything else that its good stack changes is.
TEST_P(Witnesses, TheFirstThingTriedIsThePagesOwnCure) {
  if (rule().kind == RuleKind::commutes || rule().kind == RuleKind::fits) return;
  const Report report = check(rule().witness.bad, judge());
  for (const Finding& finding : report.findings) {
    if (finding.rule != rule().id) continue;
    ASSERT_FALSE(finding.tries.empty()) << print(rule().witness.bad);
    EXPECT_EQ(print(finding.tries.front().stack), print(rule().witness.good)) << "of " << print(rule().witness.bad);
  }
}

INSTANTIATE_TEST_SUITE_P(Pages, Witnesses, testing::ValuesIn(pages()), test_name);

}  // namespace
}  // namespace ordercheck
