#include "plan/pages_alone.h"

#include <gtest/gtest.h>

#include "stack/notation.h"
#include "unit/protocol/sample_hello.h"
#include "unit/rule/sample_rules.h"

namespace ordercheck {
namespace {

bool has_error(const Rule& rule, const Hello& hello = sample_hello()) {
  return PagesAlone({rule}, hello).has_error(rule.witness.bad);
}

TEST(PagesAlone, AreErrorsWhereTheyHold) {
  EXPECT_TRUE(has_error(sample_order_rule()));
  EXPECT_FALSE(PagesAlone(sample_rules(), sample_hello()).has_error(sample_order_rule().witness.good));
  Rule other = sample_order_rule();
  other.holds = {*parse_holds("pytorch>=1")};
  EXPECT_FALSE(has_error(other));
  other = sample_order_rule();
  other.harm = Harm::slow;
  EXPECT_FALSE(has_error(other)) << "a cost is no error";
}

TEST(PagesAlone, AreTakenAtTheirWordWhereCitationsClash) {
  Rule rule = sample_order_rule();
  rule.citations = {{"https://example.org/a", "2025", Stance::supports, "So."},
                    {"https://example.org/b", "2025", Stance::disputes, "No."}};
  const std::vector<Rule> rules{rule};
  const std::vector<Observation> none;
  const Judge judge(rules, *parse_target("native-2.11.0"), none);
  EXPECT_EQ(judge.severity(rules[0]), Severity::advice);
  EXPECT_TRUE(has_error(rule));
}

TEST(PagesAlone, AskForNoVersion) {
  Hello hello = sample_hello();
  hello.versions = {"of no number"};
  EXPECT_FALSE(has_error(sample_order_rule(), hello)) << "older than any";
}

}  // namespace
}  // namespace ordercheck
