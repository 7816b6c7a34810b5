#include "matrix/orders.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stack/mesh.h"
#include "stack/notation.h"
#include "unit/record/sample_hello.h"
#include "unit/rules/sample_rules.h"

namespace ordercheck {
namespace {

std::vector<std::string> printed(const std::vector<Stack>& stacks) {
  std::vector<std::string> texts;
  for (const Stack& stack : stacks) texts.push_back(print(stack));
  return texts;
}

TEST(Orders, OnOneRankOnlyWhatNeedsNone) {
  EXPECT_THAT(printed(orders({"tp", "ac", "fsdp"}, 1)), testing::UnorderedElementsAre("", "ac"));
}

TEST(Orders, OnTwoRanksEveryOrderOfEverySubset) {
  EXPECT_THAT(printed(orders({"tp", "ac", "fsdp"}, 2)),
              testing::UnorderedElementsAre("tp=2", "fsdp=2", "tp=2,ac", "ac,tp=2", "fsdp=2,ac", "ac,fsdp=2"));
}

TEST(Orders, OnFourRanksDegreesAreSpread) {
  const auto all = printed(orders({"tp", "ac", "fsdp"}, 4));
  EXPECT_EQ(all.size(), 14u);  // 6 as on two ranks, 2 of tp and fsdp, 6 of all three
  EXPECT_THAT(all, testing::IsSupersetOf({"tp=4", "ac,fsdp=4", "tp=2,fsdp=2", "fsdp=2,ac,tp=2"}));
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size());
}

TEST(Orders, EveryStackFillsItsWorld) {
  for (int ranks : {1, 2, 3, 4, 6, 8})
    for (const Stack& stack : orders({"tp", "ac", "fsdp", "hsdp"}, ranks)) EXPECT_EQ(world_size(mesh_of(stack)), ranks);
}

std::vector<std::string> orders_of(const std::string& set, int ranks) {
  return printed(orders_of_set(*parse_stack(set), ranks));
}

TEST(OrdersOfSet, EveryPermutationWithItsOptionsAndScopes) {
  EXPECT_EQ(
      orders_of("fsdp:reshard=never,ac,compile:wrap@model", 4),
      (std::vector<std::string>{"ac,compile:wrap@model,fsdp=4:reshard=never", "ac,fsdp=4:reshard=never,compile:wrap@model",
                                "compile:wrap@model,ac,fsdp=4:reshard=never", "compile:wrap@model,fsdp=4:reshard=never,ac",
                                "fsdp=4:reshard=never,ac,compile:wrap@model", "fsdp=4:reshard=never,compile:wrap@model,ac"}));
  EXPECT_EQ(orders_of("tp,ac,fsdp", 4), orders_of("fsdp,tp,ac", 4)) << "the order of the set means nothing";
}

TEST(OrdersOfSet, DegreesAreSpreadOverItsAxes) {
  EXPECT_THAT(orders_of("tp,ddp", 8), testing::UnorderedElementsAre("tp=2,ddp=4", "tp=4,ddp=2", "ddp=2,tp=4", "ddp=4,tp=2"));
  EXPECT_THAT(orders_of("hsdp", 4), testing::ElementsAre("hsdp=2x2"));
  for (const Stack& stack : orders_of_set(*parse_stack("tp,sac,hsdp"), 8)) EXPECT_EQ(world_size(mesh_of(stack)), 8);
}

TEST(OrdersOfSet, OnOneRankOnlyWhatNeedsNone) {
  EXPECT_THAT(orders_of("ac,compile", 1), testing::ElementsAre("ac,compile", "compile,ac"));
  EXPECT_THAT(orders_of("ac,fsdp", 1), testing::IsEmpty());
}

TEST(OrdersOfSet, NoneWhereItCannotFillTheRanks) {
  EXPECT_THAT(orders_of("ac,compile", 4), testing::IsEmpty()) << "no axis";
  EXPECT_THAT(orders_of("tp,fsdp", 3), testing::IsEmpty()) << "no two degrees of at least 2";
  EXPECT_THAT(orders_of("tp,fsdp", 2), testing::IsEmpty());
  EXPECT_THAT(orders_of("tp,ac", 3), testing::ElementsAre("ac,tp=3", "tp=3,ac"));
}

TEST(Orders, AnItemAtEveryPosition) {
  EXPECT_EQ(printed(at_every_position(*parse_stack("tp=2,fsdp=2"), parse_stack("optimizer=sgd")->items[0])),
            (std::vector<std::string>{"optimizer=sgd,tp=2,fsdp=2", "tp=2,optimizer=sgd,fsdp=2", "tp=2,fsdp=2,optimizer=sgd"}));
}

TEST(Orders, MissingDegreesAreWritten) {
  EXPECT_EQ(print(with_degrees(*parse_stack("tp,ac,fsdp=4,hsdp"))), "tp=2,ac,fsdp=4,hsdp=2x2");
}

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
