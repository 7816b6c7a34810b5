#include "rules/pair_answer.h"

#include <gmock/gmock.h>

#include "unit/rules/small_rules.h"

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
  EXPECT_EQ(said("pp", "ac"), "apply pp before ac, or ac before pp: no rule orders the two");
  EXPECT_THAT(said("tp", "ddp"), HasSubstr("do not apply tp and ddp together, in any order"));
}

TEST(VerdictInWords, SaysWhatNoOrderMends) {
  const Court court({{"EFF-001", RuleKind::effect, "compile@model", "pp", Harm::ignored}});
  EXPECT_EQ(verdict_in_words(item("pp"), item("compile@model"), court.judge()),
            "apply pp before compile@model, or compile@model before pp: no rule orders the two; in any order that leaves "
            "one of them without its full effect (EFF-001, cited)");
}

TEST(ExplainPair, OfOneItemTwiceHasOneOrder) {
  const Court court({{"CLA-001", RuleKind::clash, "ac", "ac"}});
  EXPECT_THAT(explain_pair(item("ac"), item("ac"), court.judge()), testing::StartsWith("ac before ac: apart\nin any order:\n"));
}

TEST(AnswerFor, APageAboutOthersAloneIsNotAgainstTheTarget) {
  Rule page = rule({"ORD-001", RuleKind::order, "ac", "fsdp", Harm::memory, "", "automodel>=0"});
  const Court of_others(Given::rules, {page});
  EXPECT_EQ(words(of_others, "ac", "fsdp"), "open open");
  EXPECT_EQ(verdict_in_words(item("ac"), item("fsdp"), of_others.judge()),
            "apply ac before fsdp, or fsdp before ac: no rule orders the two");
  EXPECT_THAT(explain_pair(item("ac"), item("fsdp"), of_others.judge()),
              HasSubstr("not about pytorch 2.11:\n  ORD-001 memory (automodel>=0): "));
  // Fundamental is true of every project.
  page.basis = Basis::fundamental;
  EXPECT_EQ(words(Court(Given::rules, {page}), "ac", "fsdp"), "worse yes");
  page.basis = Basis::incidental;
  page.holds = {*parse_holds("pytorch>=2")};
  EXPECT_EQ(words(Court(Given::rules, {page}), "ac", "fsdp"), "worse yes");
}

TEST(VerdictInWords, SaysWhenNoOrderIsFreeOfAPage) {
  const Court court({{"ORD-001", RuleKind::order, "ac", "tp"}, {"ORD-002", RuleKind::order, "tp", "ac"}});
  EXPECT_EQ(verdict_in_words(item("ac"), item("tp"), court.judge()),
            "no order of the two is free of a rule: ac before tp fails (ORD-001); tp before ac fails (ORD-002)");
}

TEST(PagesAbout, HaveNoCommutesPageWhereAnOrderIsSpokenAgainst) {
  const Sketch commutes{"COM-001", RuleKind::commutes, "ac", "tp"};
  const auto ids = [](const Court& court) {
    std::vector<std::string> found;
    for (const Rule* page : pages_about(item("ac"), item("tp"), court.judge()).any) found.push_back(page->id);
    return found;
  };
  EXPECT_THAT(ids(Court({{"CLA-001", RuleKind::clash, "ac", "tp"}, commutes})), testing::ElementsAre("CLA-001"));
  EXPECT_THAT(ids(Court({commutes, {"ORD-001", RuleKind::order, "ac", "tp"}})), testing::IsEmpty());
  EXPECT_THAT(ids(Court({commutes})), testing::ElementsAre("COM-001"));
}

TEST(PagesAbout, LeaveOutARuleThatPinsTheTwoAsRightAndARunShowsIt) {
  Rule clash = rule({"CLA-001", RuleKind::clash, "ddp", "hsdp"});
  clash.expectations = {{.engine = "pytorch",
                         .version = *parse_version("2.11"),
                         .stack = stack("ddp=2,hsdp=2x2"),
                         .verdict = Verdict::equal,
                         .because = "HSDP reduces over that axis itself"}};
  const Court court(Given::rules, {clash}, {ran("ddp=2,hsdp=2x2", Verdict::equal)});
  const Stack pair = stack("ddp=2,hsdp=2x2");
  EXPECT_EQ(answer_for(pair.items[0], pair.items[1], court.judge()).word, PairWord::open);
  EXPECT_EQ(answer_for(pair.items[1], pair.items[0], court.judge()).word, PairWord::no);
}

TEST(VerdictInWords, TellsWhatEachOrderShowsAndWhatOneShowsAlone) {
  Rule clash = rule({"CLA-001", RuleKind::clash, "fsdp", "ddp"});
  clash.expectations = {{.engine = "pytorch",
                         .version = *parse_version("2.11"),
                         .stack = stack("ddp=2,fsdp=2"),
                         .verdict = Verdict::differs,
                         .because = "nothing is raised"}};
  const Court court(Given::rules, {clash, rule({"EFF-001", RuleKind::effect, "pp", "", Harm::wrong})});
  const Stack items = stack("fsdp=2,ddp=2,pp=2,ac");
  EXPECT_EQ(verdict_in_words(items.items[0], items.items[1], court.judge()),
            "do not apply fsdp=2 and ddp=2 together, in any order: fsdp=2 before ddp=2 fails, ddp=2 before fsdp=2 gives other "
            "numbers without a message (CLA-001)");
  EXPECT_THAT(verdict_in_words(items.items[2], items.items[3], court.judge()),
              testing::HasSubstr("; pp=2 by itself gives other numbers without a message (EFF-001)"));
}

TEST(PagesAbout, SeparateTheOrdersFromWhatHoldsInAny) {
  const Court court({{"CLA-001", RuleKind::clash, "tp", "fsdp"},
                     {"EFF-001", RuleKind::effect, "fsdp", "tp"},
                     {"NEE-001", RuleKind::needs, "fsdp", "compile"},
                     {"ORD-001", RuleKind::order, "fsdp", "tp"}});
  const PairPages pages = pages_about(item("fsdp"), item("tp"), court.judge());
  ASSERT_EQ(pages.straight.size(), 1u);
  EXPECT_EQ(pages.straight.front()->id, "ORD-001");
  EXPECT_TRUE(pages.turned.empty());
  ASSERT_EQ(pages.any.size(), 2u);
  EXPECT_EQ(pages.any.back()->id, "EFF-001");
}

TEST(ExplainPair, PutsBothOrdersSideBySide) {
  Rule page = rule({"ORD-001", RuleKind::order, "fsdp", "tp"});
  page.citations.push_back(page.citations.front());
  page.citations.back().claim = "Not here.";
  page.citations.back().says = Stance::disputes;
  page.citations.back().date = "unknown";
  const Court court(Given::rules, {page});
  EXPECT_EQ(explain_pair(item("tp"), item("fsdp"), court.judge()),
            "tp before fsdp: yes, ORD-001 is against the other order\n"
            "fsdp before tp: contested\n"
            "  ORD-001 incidental, fails (contested): Because it is so\n"
            "    supports [torchtitan#1554, 2025-08-13] So.\n"
            "    disputes [torchtitan#1554, undated] Not here.\n");
}

}  // namespace
}  // namespace ordercheck
