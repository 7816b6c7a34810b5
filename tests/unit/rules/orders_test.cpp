#include "rules/orders.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include "unit/rules/small_rules.h"

namespace ordercheck {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

std::vector<std::string> texts(const std::vector<Stack>& stacks) {
  std::vector<std::string> made;
  for (const Stack& each : stacks) made.push_back(print(each));
  return made;
}

TEST(RecommendedOrder, MendsAndOtherwiseKeepsWhatWasWritten) {
  const Court court(usual_rules());
  EXPECT_EQ(print(recommended_order(stack("fsdp=2,compile,ac,tp=2"), court.judge())), "tp=2,ac,compile,fsdp=2");
  EXPECT_EQ(print(recommended_order(stack("pp=2,tp=2,ac"), court.judge())), "pp=2,tp=2,ac");
}

TEST(RecommendedOrder, LeavesAContradictionAsItIs) {
  const Court court({{"ORD-001", RuleKind::order, "ac", "tp"}, {"ORD-002", RuleKind::order, "tp", "ac"}});
  EXPECT_EQ(print(recommended_order(stack("ac,tp=2"), court.judge())), "ac,tp=2");
}

TEST(LegalOrders, AreAllThatKeepTheErrors) {
  EXPECT_THAT(texts(legal_orders(stack("fsdp=2,cp=2,tp=2"), Court(usual_rules()).judge()).orders),
              ElementsAre("cp=2,tp=2,fsdp=2", "tp=2,cp=2,fsdp=2", "tp=2,fsdp=2,cp=2"));
}

TEST(LegalOrders, MayGoAgainstAdvice) {
  EXPECT_THAT(texts(legal_orders(stack("compile,fsdp=2"), Court(usual_rules()).judge()).orders),
              UnorderedElementsAre("compile,fsdp=2", "fsdp=2,compile"));
}

TEST(LegalOrders, OneOfEveryCommutingClass) {
  std::vector<Sketch> sketches = usual_rules();
  sketches.push_back({"COM-001", RuleKind::commutes, "cp", "ac|tp|fsdp"});
  EXPECT_THAT(texts(legal_orders(stack("cp=2,tp=2,ac,fsdp=2"), Court(sketches).judge()).orders),
              ElementsAre("cp=2,tp=2,ac,fsdp=2"));
}

TEST(LegalOrders, ACommutesPageAboutOthersMergesNothing) {
  const Court court({{"COM-001", RuleKind::commutes, "cp", "ac", Harm::wrong, "", "megatron>=0"}});
  EXPECT_EQ(legal_orders(stack("cp=2,ac"), court.judge()).orders.size(), 2u);
}

TEST(LegalOrders, NoneWhereOrderPagesContradictEachOther) {
  const Court court({{"ORD-001", RuleKind::order, "ac", "tp"}, {"ORD-002", RuleKind::order, "tp", "ac"}});
  EXPECT_TRUE(legal_orders(stack("ac,tp=2"), court.judge()).orders.empty());
}

// What two transforms have against each other in any order says nothing about their order.
TEST(LegalOrders, AreDecidedByOrderPagesAlone) {
  std::vector<Sketch> sketches = usual_rules();
  sketches.push_back({"CLA-017", RuleKind::clash, "compile", "tp", Harm::wrong});
  const Court court(sketches);
  EXPECT_EQ(legal_orders(stack("tp=2,compile,fsdp=2"), court.judge()).orders.size(), 3u);
  EXPECT_EQ(print(recommended_order(stack("fsdp=2,compile,ac,tp=2"), court.judge())), "tp=2,ac,compile,fsdp=2");
}

TEST(LegalOrders, AnItemThatStandsTwiceCountsOnce) {
  EXPECT_THAT(texts(legal_orders(stack("ac,ac"), Court({{"CLA-001", RuleKind::clash, "ac", "ac"}}).judge()).orders),
              ElementsAre("ac,ac"));
}

TEST(LegalOrders, SayWhenThereAreMore) {
  const LegalOrders some = legal_orders(stack("pp=2,tp=2,cp=2,ac"), Court(std::vector<Sketch>{}).judge(), 5);
  EXPECT_EQ(some.orders.size(), 5u);
  EXPECT_FALSE(some.all);
  const LegalOrders every = legal_orders(stack("pp=2,tp=2,cp=2,ac"), Court(std::vector<Sketch>{}).judge(), 24);
  EXPECT_EQ(every.orders.size(), 24u);
  EXPECT_TRUE(every.all);
}

// Over random sets of items: the recommended order has no finding of an order rule, legal orders are exactly the
// permutations without an error.
RC_GTEST_PROP(Orders, AgreeWithTheChecker, ()) {
  const std::vector<std::string> all{"tp=2", "ac", "compile", "fsdp=2", "cp=2", "pp=2"};
  const Court court(usual_rules());
  std::vector<std::string> items;
  for (const std::string& item : all)
    if (*rc::gen::arbitrary<bool>()) items.push_back(item);
  const std::vector<std::size_t> keys =
      *rc::gen::container<std::vector<std::size_t>>(items.size(), rc::gen::arbitrary<std::size_t>());
  std::vector<std::pair<std::size_t, std::string>> shuffled;
  for (std::size_t i = 0; i < items.size(); ++i) shuffled.emplace_back(keys[i], items[i]);
  std::ranges::sort(shuffled);
  Stack made;
  for (const auto& [key, item] : shuffled) made.items.push_back(parse_stack(item)->items.front());

  RC_ASSERT(findings_of(recommended_order(made, court.judge()), court.judge()).empty());

  std::set<std::string> expected;
  std::vector<std::size_t> order(made.items.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  do {
    Stack candidate;
    for (const std::size_t i : order) candidate.items.push_back(made.items[i]);
    if (!has_error(findings_of(candidate, court.judge()))) expected.insert(print(candidate));
  } while (std::ranges::next_permutation(order).found);
  const std::vector<std::string> got = texts(legal_orders(made, court.judge()).orders);
  RC_ASSERT(std::set<std::string>(got.begin(), got.end()) == expected);
  RC_ASSERT(got.size() == expected.size());
}

TEST(OrdersThatBreakOneEdge, AreOneAnEdgeThatNoOthersImply) {
  const Court court(usual_rules());  // tp before ac before fsdp: that tp goes before fsdp follows
  const auto broken = orders_that_break_one_edge(stack("tp=2,ac,fsdp=2"), court.judge());
  EXPECT_THAT(broken,
              ElementsAre(BrokenEdge{stack("ac,tp=2,fsdp=2"), {"ORD-001"}}, BrokenEdge{stack("tp=2,fsdp=2,ac"), {"ORD-003"}}));
  for (const BrokenEdge& one : broken) {
    std::vector<std::string> errors;
    for (const Finding& finding : findings_of(one.order, court.judge()))
      if (finding.severity == Severity::error) errors.push_back(finding.rule);
    EXPECT_EQ(errors, one.rules) << print(one.order);
  }
}

TEST(OrdersThatBreakOneEdge, NeedErrorsThatDoNotContradictEachOther) {
  const Court court({{"ORD-001", RuleKind::order, "ac", "tp"}, {"ORD-002", RuleKind::order, "tp", "ac"}});
  EXPECT_TRUE(orders_that_break_one_edge(stack("ac,tp=2"), court.judge()).empty());
  EXPECT_TRUE(orders_that_break_one_edge(stack("compile,ac"), Court(usual_rules()).judge()).empty()) << "advice alone";
}

using testing::HasSubstr;
using testing::StartsWith;

std::vector<std::string> lines(const Suggestion& suggestion) {
  std::vector<std::string> made;
  for (const OrderReason& reason : suggestion.reasons)
    made.push_back(suggestion.order.items[reason.before].name + " " + suggestion.order.items[reason.after].name + " " +
                   (reason.rule == nullptr ? "-" : reason.rule->id) + (reason.either_way ? " either" : ""));
  return made;
}

TEST(Suggest, GivesAReasonForEveryNeighbour) {
  const Court court(usual_rules());
  const Suggestion made = suggest(stack("FSDP=4:reshard=never(compile(AC(TP=2(model))))"), court.judge());
  EXPECT_EQ(print(made.order), "tp=2,ac,compile,fsdp=4:reshard=never");
  EXPECT_THAT(lines(made), ElementsAre("tp ac ORD-001", "ac compile ORD-004", "compile fsdp ORD-005"));
  EXPECT_TRUE(made.report.findings.empty());
}

TEST(Suggest, GivesNoReasonThatARunRefutes) {
  Rule page = rule({"ORD-001", RuleKind::order, "ac", "tp"});
  page.witness.bad = stack("ac,tp=2");
  page.witness.good = stack("tp=2,ac");
  const auto reasons = [&](Verdict seen) {
    const Court court(Given::rules, {page}, {ran("ac,tp=2", seen), ran("tp=2,ac", Verdict::equal)});
    return lines(suggest(stack("ac,tp=2"), court.judge()));
  };
  EXPECT_THAT(reasons(Verdict::fails), ElementsAre("tp ac ORD-001"));
  EXPECT_THAT(reasons(Verdict::equal), ElementsAre("tp ac -"));
}

TEST(Suggest, GivesNoReasonThatIsAnotherProjectsAlone) {
  Rule page = rule({"ORD-001", RuleKind::order, "ac", "tp", Harm::fails, "", "torchtitan>=0.1"});
  EXPECT_THAT(lines(suggest(stack("ac,tp=2"), Court(Given::rules, {page}).judge())), ElementsAre("tp ac ORD-001"));
  page.silent_elsewhere = true;
  EXPECT_THAT(lines(suggest(stack("ac,tp=2"), Court(Given::rules, {page}).judge())), ElementsAre("tp ac -"));
}

TEST(Suggest, SaysWhereNoPageOrdersTwoNeighbours) {
  const Court court({{"ORD-001", RuleKind::order, "fsdp", "tp"}});
  const Suggestion made = suggest(stack("fsdp=2,ac,tp=2"), court.judge());
  EXPECT_EQ(print(made.order), "tp=2,ac,fsdp=2");
  // The page about two that are no neighbours comes last.
  EXPECT_THAT(lines(made), ElementsAre("tp ac -", "ac fsdp -", "tp fsdp ORD-001"));
  EXPECT_THAT(render_text(made, court.judge(), false), HasSubstr("no rule orders the two; the catalogue's order is used"));
}

TEST(Suggest, NamesThePageThatLetsTwoChangePlaces) {
  const Court court({{"COM-001", RuleKind::commutes, "ac", "fsdp"}});
  EXPECT_THAT(lines(suggest(stack("fsdp=2,ac"), court.judge())), ElementsAre("ac fsdp COM-001 either"));
}

TEST(Suggest, KeepsEveryItemAndTellsWhatBlocksIt) {
  std::vector<Rule> rules;
  for (const Sketch& sketch : usual_rules()) rules.push_back(rule(sketch));
  rules.push_back(rule({"CLA-017", RuleKind::clash, "compile@block", "tp:!plan", Harm::wrong}));
  rules.back().witness.bad = stack("tp=2,compile");
  rules.back().witness.good = stack("tp=2:plan=blocks,compile");
  const Court court(Given::rules, rules);
  const Suggestion made = suggest(stack("fsdp=4,compile,ac,tp=2"), court.judge());
  EXPECT_EQ(print(made.order), "tp=2,ac,compile,fsdp=4");
  const std::string text = render_text(made, court.judge(), false);
  EXPECT_THAT(text, StartsWith("tp=2,ac,compile,fsdp=4\n  tp before ac         ORD-001"));
  EXPECT_THAT(text, HasSubstr("Blocked by CLA-017 on pytorch 2.11, whatever the order:\nCLA-017 error"));
  EXPECT_THAT(
      text,
      HasSubstr("try          tp=2:plan=blocks,ac,compile,fsdp=4  tp=2 becomes tp=2:plan=blocks [not run on pytorch 2.11]"));
  const auto json = nlohmann::json::parse(render_json(made, court.judge()));
  EXPECT_FALSE(json.at("legal").get<bool>());
  EXPECT_EQ(json.at("stack"), "tp=2,ac,compile,fsdp=4");
  EXPECT_EQ(json.at("blockers"), nlohmann::json({"CLA-017"}));
}

// The rule against both pins one order as right, and a run shows it.
TEST(Suggest, TakesTheOrderThatRanEqualWhereARuleIsAgainstAll) {
  const auto suggested = [](Verdict verdict) {
    Rule clash = rule({"CLA-001", RuleKind::clash, "ddp", "hsdp"});
    clash.expectations = {{.engine = "pytorch",
                           .version = *parse_version("2.11"),
                           .stack = stack("ddp=2,hsdp=2x2"),
                           .verdict = Verdict::equal,
                           .because = "HSDP reduces over that axis itself"}};
    const Court court(Given::rules, {clash}, {ran("ddp=2,hsdp=2x2", verdict)});
    const Suggestion made = suggest(stack("hsdp=2x2,ddp=2"), court.judge());
    return print(made.order) + (has_error(made.report.findings) ? " blocked" : "");
  };
  EXPECT_EQ(suggested(Verdict::equal), "ddp=2,hsdp=2x2");
  EXPECT_EQ(suggested(Verdict::differs), "hsdp=2x2,ddp=2 blocked");
}

TEST(Suggest, SaysHowManyOrdersThereAre) {
  const Court court(usual_rules());
  EXPECT_THAT(render_text(suggest(stack("tp=2,ac"), court.judge()), court.judge(), false),
              HasSubstr("allow no other order of these."));
  EXPECT_THAT(render_text(suggest(stack("tp=2,cp=2,ac"), court.judge()), court.judge(), false),
              HasSubstr("allow 3 orders of these."));
}

TEST(Suggest, SaysWhenTheRulesContradictEachOther) {
  const Court court({{"ORD-001", RuleKind::order, "ac", "tp"}, {"ORD-002", RuleKind::order, "tp", "ac"}});
  const std::string text = render_text(suggest(stack("ac,tp=2"), court.judge()), court.judge(), false);
  EXPECT_THAT(text, HasSubstr("There is no order of these that keeps the order rules:\n"));
}

RC_GTEST_PROP(Suggest, TheOrderGivenDoesNotCount, ()) {
  const Court court(usual_rules());
  Stack items = stack("pp=2,tp=2,cp=2,ac,compile,compile@model,fsdp=2,optimizer");
  const Stack expected = suggest(items, court.judge()).order;
  for (std::size_t i = items.items.size(); i > 1; --i)
    std::swap(items.items[i - 1], items.items[static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(i)))]);
  RC_ASSERT(suggest(items, court.judge()).order == expected);
}

}  // namespace
}  // namespace ordercheck
