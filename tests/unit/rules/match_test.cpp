#include "rules/match.h"

#include <gtest/gtest.h>

#include "stack/notation.h"

namespace ordercheck {
namespace {

Rule rule_about(RuleKind kind, const char* one, const char* other = "", const char* when = "") {
  Rule made;
  made.kind = kind;
  if (*one != 0) made.one = *parse_pattern(one);
  if (*other != 0) made.other = *parse_pattern(other);
  if (*when != 0) made.when = *parse_condition(when);
  return made;
}

std::vector<std::vector<std::size_t>> fire(const Rule& rule, const char* stack, std::optional<int> ranks = {}) {
  std::vector<std::vector<std::size_t>> items;
  for (const Firing& firing : firings(rule, *parse_stack(stack), ranks)) items.push_back(firing);
  return items;
}

using Places = std::vector<std::vector<std::size_t>>;

TEST(OrderRules, FireOnEveryPairThatStandsWrong) {
  const Rule order = rule_about(RuleKind::order, "fsdp|hsdp", "tp");
  EXPECT_EQ(fire(order, "fsdp=2,ac,tp=2"), (Places{{0, 2}}));
  EXPECT_EQ(fire(order, "tp=2,fsdp=2"), Places{});
  EXPECT_EQ(fire(order, "fsdp=2,hsdp=2x2,tp=2"), (Places{{0, 2}, {1, 2}}));
}

TEST(OrderRules, AskForTheirConditionAndScopes) {
  EXPECT_EQ(fire(rule_about(RuleKind::order, "fsdp", "tp", "tp > 2"), "fsdp=2,tp=2"), Places{});
  Rule inside = rule_about(RuleKind::order, "fsdp", "ac");
  inside.scopes = ScopeRelation::inside;
  EXPECT_EQ(fire(inside, "fsdp=2,ac"), Places{});
  EXPECT_EQ(fire(inside, "fsdp=2@experts,ac"), (Places{{0, 1}}));
}

TEST(OrderRules, MayWantAnItemBetween) {
  Rule order = rule_about(RuleKind::order, "fsdp", "compile");
  order.between = *parse_pattern("ac|sac");
  EXPECT_EQ(fire(order, "fsdp=2,sac,compile"), (Places{{0, 1, 2}}));
  EXPECT_EQ(fire(order, "fsdp=2,compile"), Places{});
  EXPECT_EQ(fire(order, "ac,fsdp=2,compile"), Places{});
  EXPECT_EQ(fire(order, "fsdp=2,compile,ac"), Places{});
  EXPECT_TRUE(demands(order, *parse_stack("compile,fsdp=2")).empty()) << "nothing could come between";
  EXPECT_EQ(demands(order, *parse_stack("fsdp=2,compile,ac")).at(0), (Demand{.before = 1, .after = 0}));
}

TEST(OrderRules, MayBeSilentWhereSomethingComesBeforeTheSecond) {
  Rule order = rule_about(RuleKind::order, "fsdp", "tp:plan=blocks");
  order.unless = *parse_pattern("ac|sac");
  EXPECT_EQ(fire(order, "fsdp=2,tp=2:plan=blocks,ac"), (Places{{0, 1}}));
  EXPECT_EQ(fire(order, "fsdp=2,ac,tp=2:plan=blocks"), Places{});
  EXPECT_EQ(fire(order, "sac,fsdp=2,tp=2:plan=blocks"), Places{});
}

TEST(OrderRules, DemandWhetherKeptOrNot) {
  const Rule order = rule_about(RuleKind::order, "fsdp", "tp");
  const std::vector<Demand> kept = demands(order, *parse_stack("tp=2,fsdp=2"));
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0], (Demand{.before = 0, .after = 1}));
  EXPECT_EQ(demands(order, *parse_stack("fsdp=2,tp=2")).at(0), (Demand{.before = 1, .after = 0}));
}

TEST(ClashRules, FireInAnyOrderAndOncePerPair) {
  const Rule clash = rule_about(RuleKind::clash, "ac|sac", "ac|sac");
  EXPECT_EQ(fire(clash, "ac,tp=2,sac"), (Places{{0, 2}}));
  EXPECT_EQ(fire(clash, "ac"), Places{});
  EXPECT_EQ(fire(clash, "ac,ac,ac"), (Places{{0, 1}, {0, 2}, {1, 2}}));
}

TEST(ClashRules, MayBeSilentInOneOrder) {
  Rule clash = rule_about(RuleKind::clash, "ddp:!device_mesh", "tp");
  clash.unless = *parse_pattern("ddp");
  EXPECT_EQ(fire(clash, "tp=2,ddp=2"), (Places{{0, 1}}));
  EXPECT_EQ(fire(clash, "ddp=2,tp=2"), Places{});
  EXPECT_EQ(fire(clash, "tp=2,ddp=2:device_mesh"), Places{});
}

TEST(NeedsRules, FireWhereNobodyElseMatches) {
  const Rule needs = rule_about(RuleKind::needs, "simple_fsdp", "compile");
  EXPECT_EQ(fire(needs, "simple_fsdp=2"), (Places{{0}}));
  EXPECT_EQ(fire(needs, "compile,simple_fsdp=2"), Places{});
}

TEST(EffectRules, MayAskForACompany) {
  EXPECT_EQ(fire(rule_about(RuleKind::effect, "compile@model"), "compile@model"), (Places{{0}}));
  const Rule with = rule_about(RuleKind::effect, "compile@model", "pp");
  EXPECT_EQ(fire(with, "compile@model"), Places{});
  EXPECT_EQ(fire(with, "pp=2,compile@model"), (Places{{1}}));
}

TEST(FitsRules, AreAboutAnItemOrAboutTheMesh) {
  EXPECT_EQ(fire(rule_about(RuleKind::fits, "tp", "", "heads % tp != 0"), "ac,tp=5"), (Places{{1}}));
  const Rule mesh = rule_about(RuleKind::fits, "", "", "world > ranks");
  EXPECT_EQ(fire(mesh, "tp=4", 2), (Places{{}}));
  EXPECT_EQ(fire(mesh, "tp=2", 2), Places{});
}

TEST(CommutesRules, NeverFireAndNameTheirPairs) {
  const Rule commutes = rule_about(RuleKind::commutes, "ac", "cp");
  EXPECT_EQ(fire(commutes, "cp=2,ac"), Places{});
  EXPECT_EQ(commuting_pairs(commutes, *parse_stack("cp=2,tp=2,ac")).at(0), (CommutingPair{0, 2}));
}

}  // namespace
}  // namespace ordercheck
