#include "rule/claim.h"

#include <gtest/gtest.h>

#include "unit/rule/page_text.h"

namespace ordercheck {
namespace {

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
