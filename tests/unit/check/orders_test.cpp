#include "check/orders.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "unit/check/small_rules.h"

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

}  // namespace
}  // namespace ordercheck
