#include "check/pair.h"

#include <gmock/gmock.h>

#include "unit/check/small_rules.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;

Item item(const char* text) { return stack(text).items.front(); }

std::string words(const Court& court, const char* a, const char* b) {
  return name_of(answer_for(item(a), item(b), court.judge()).word) + std::string(" ") +
         name_of(answer_for(item(b), item(a), court.judge()).word);
}

TEST(AnswerFor, IsOneWordAnOrder) {
  const Court court({{"CLA-001", RuleKind::clash, "tp", "ddp"},
                     {"COM-001", RuleKind::commutes, "ac", "cp"},
                     {"ORD-001", RuleKind::order, "fsdp", "tp"},
                     {"ORD-002", RuleKind::order, "compile", "ac", Harm::slow}});
  EXPECT_EQ(words(court, "tp", "fsdp"), "yes no");
  EXPECT_EQ(words(court, "ac", "compile"), "yes worse");
  EXPECT_EQ(words(court, "tp", "ddp"), "apart apart");
  EXPECT_EQ(words(court, "ac", "cp"), "commutes commutes");
  EXPECT_EQ(words(court, "pp", "ac"), "open open");
}

TEST(AnswerFor, TheWorstPageDecides) {
  const Court court({{"ORD-001", RuleKind::order, "fsdp", "tp", Harm::slow}, {"ORD-002", RuleKind::order, "fsdp", "tp"}});
  EXPECT_EQ(answer_for(item("fsdp"), item("tp"), court.judge()).rule->id, "ORD-002");
}

TEST(AnswerFor, ClashingSourcesAreContested) {
  Rule page = rule({"ORD-001", RuleKind::order, "fsdp", "ac", Harm::slow});
  page.citations.push_back(page.citations.front());
  page.citations.back().says = Stance::disputes;
  const Court court(Given::rules, {page});
  EXPECT_EQ(words(court, "ac", "fsdp"), "yes contested");
  EXPECT_EQ(verdict_in_words(item("ac"), item("fsdp"), court.judge()),
            "apply ac before fsdp; the sources of ORD-001 disagree about fsdp before ac, and no run has decided");
}

TEST(VerdictInWords, AnswersBothOrdersInOneSentence) {
  const Court court({{"CLA-001", RuleKind::clash, "tp", "ddp"},
                     {"COM-001", RuleKind::commutes, "ac", "cp"},
                     {"ORD-001", RuleKind::order, "fsdp", "tp"},
                     {"ORD-002", RuleKind::order, "compile", "ac", Harm::slow}});
  const auto said = [&](const char* a, const char* b) { return verdict_in_words(item(a), item(b), court.judge()); };
  EXPECT_EQ(said("fsdp=2", "tp=2"), "apply tp=2 before fsdp=2; fsdp=2 before tp=2 fails (ORD-001)");
  EXPECT_EQ(said("ac", "compile"), "apply ac before compile; compile before ac is right too, but slower (ORD-002)");
  EXPECT_EQ(said("ac", "cp"), "apply ac before cp, or cp before ac: both right, COM-001 lets them change places");
  EXPECT_EQ(said("pp", "ac"), "apply pp before ac, or ac before pp: no page orders the two");
  EXPECT_THAT(said("tp", "ddp"), HasSubstr("do not apply tp and ddp together, in any order"));
}

TEST(VerdictInWords, SaysWhenNoOrderIsFreeOfAPage) {
  const Court court({{"ORD-001", RuleKind::order, "ac", "tp"}, {"ORD-002", RuleKind::order, "tp", "ac"}});
  EXPECT_EQ(verdict_in_words(item("ac"), item("tp"), court.judge()),
            "no order of the two is free of a page: ac before tp fails (ORD-001); tp before ac fails (ORD-002)");
}

TEST(PagesAbout, AreThoseAgainstThisOrderAndThoseAboutBoth) {
  const Court court({{"CLA-001", RuleKind::clash, "tp", "fsdp"}, {"ORD-001", RuleKind::order, "fsdp", "tp"}});
  EXPECT_EQ(pages_about(item("fsdp"), item("tp"), court.judge()).size(), 2u);
  EXPECT_EQ(pages_about(item("tp"), item("fsdp"), court.judge()).size(), 1u);
}

}  // namespace
}  // namespace ordercheck
