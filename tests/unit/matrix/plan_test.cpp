#include "matrix/plan.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stack/notation.h"
#include "unit/record/honest_record.h"
#include "unit/record/sample_hello.h"
#include "unit/rules/sample_rules.h"

namespace ordercheck {
namespace {

Space sample_space() {
  return {.models = {"llama"},
          .engines = {"native"},
          .transforms = {"tp", "ac", "fsdp"},
          .ranks = {1, 2, 3, 4},
          .order_ranks = {2, 4},
          .accumulations = {1, 2, 4},
          .optimizers = {parse_stack("optimizer=sgd")->items[0]},
          .optimizer_ranks = {4}};
}

Plan sample_plan(std::vector<Framework> frameworks = {}) {
  return make_plan(sample_space(), frameworks, sample_rules(), sample_hello());
}

const PlannedCase* find(const Plan& plan, const std::string& text) {
  const auto found = std::ranges::find_if(plan.cases, [&](const PlannedCase& c) { return print(c.subject) == text; });
  return found == plan.cases.end() ? nullptr : &*found;
}

std::vector<std::string> sources(const Plan& plan, const std::string& text) {
  std::vector<std::string> texts;
  const PlannedCase* planned = find(plan, text);
  if (planned)
    for (const Source& source : planned->sources) texts.push_back(print(source));
  return texts;
}

TEST(Plan, EachCaseStandsOnceWithAllItsSources) {
  const Plan plan = sample_plan();
  std::vector<std::string> texts;
  for (const auto& planned : plan.cases) texts.push_back(print(planned.subject));
  EXPECT_TRUE(std::ranges::is_sorted(texts));
  EXPECT_EQ(std::ranges::adjacent_find(texts), texts.end());
  EXPECT_THAT(sources(plan, "tp=2,fsdp=2"), testing::ElementsAre("witness ORD-901 good", "order", "legal", "accumulation 2"));
  EXPECT_THAT(sources(plan, "fsdp=2,tp=2"), testing::ElementsAre("witness ORD-901 bad", "order", "edge ORD-901"));
}

TEST(Plan, OnlyLegalOrdersAreTriedAtEveryWorldSizeAndAccumulation) {
  const Plan plan = sample_plan();
  EXPECT_NE(find(plan, "tp=3"), nullptr);
  EXPECT_NE(find(plan, "(nothing)"), nullptr);
  EXPECT_THAT(sources(plan, "tp=2,ac,fsdp=2 accumulation=4"), testing::ElementsAre("accumulation 4"));
  EXPECT_EQ(find(plan, "fsdp=2,tp=2 accumulation=4"), nullptr);
}

TEST(Plan, AStackIsTriedAsItStands) {
  Space space = sample_space();
  space.stacks = {*parse_stack("ac,fsdp=4:reshard=never")};
  const Plan plan = make_plan(space, {}, sample_rules(), sample_hello());
  EXPECT_THAT(sources(plan, "ac,fsdp=4:reshard=never"), testing::ElementsAre("order"));
  EXPECT_EQ(find(plan, "fsdp=4:reshard=never,ac"), nullptr);
}

TEST(Plan, EveryOrderOfASetIsTriedAtItsWorldSizesOnly) {
  Space space = sample_space();
  space.transforms = {"tp"};
  space.sets = {*parse_stack("fsdp:reshard=never,tp"), *parse_stack("ac,fsdp:reshard=never"), *parse_stack("ac,compile")};
  space.set_ranks = {1, 4};
  const Plan plan = make_plan(space, {}, sample_rules(), sample_hello());
  EXPECT_THAT(sources(plan, "tp=2,fsdp=2:reshard=never"), testing::ElementsAre("order"));
  EXPECT_THAT(sources(plan, "fsdp=2:reshard=never,tp=2"), testing::ElementsAre("order", "edge ORD-901"));
  for (const char* text : {"ac,fsdp=4:reshard=never", "fsdp=4:reshard=never,ac"})
    EXPECT_THAT(sources(plan, text), testing::ElementsAre("order")) << text;
  EXPECT_EQ(find(plan, "ac,fsdp=2:reshard=never"), nullptr) << "two ranks are none of the sets'";
  std::vector<std::string> not_planned;
  for (const NotPlanned& one : plan.not_planned) not_planned.push_back(print(one.subject) + ": " + one.reason);
  EXPECT_THAT(not_planned, testing::ElementsAre("ac,compile: the native engine builds no compile",
                                                "compile,ac: the native engine builds no compile"));
}

TEST(Plan, AStackThatCastsIsPlannedInNativeArithmetic) {
  Space space = sample_space();
  space.sets = {*parse_stack("tp,amp=bf16")};
  space.set_ranks = {2};
  const Plan plan = make_plan(space, {}, sample_rules(), sample_hello());
  ASSERT_EQ(plan.not_planned.size(), 2u);
  EXPECT_EQ(print(plan.not_planned[0].subject), "amp=bf16,tp=2 arithmetic=float32");
  EXPECT_NE(find(plan, "tp=2"), nullptr) << "in exact arithmetic";
}

TEST(Plan, TheDefaultIsAllWhereTheSpaceListsNone) {
  Space space = sample_space();
  EXPECT_EQ(make_plan(space, {}, sample_rules(), sample_hello(), Tier::by_default), sample_plan());
  EXPECT_TRUE(is_whole(space, Tier::by_default));
  space.by_default = {*parse_case("tp=2"), *parse_case("ep=2,fsdp=2 model=moe")};
  EXPECT_FALSE(is_whole(space, Tier::by_default));
  EXPECT_TRUE(is_whole(space, Tier::full));
  const Plan few = make_plan(space, {}, sample_rules(), sample_hello(), Tier::by_default);
  ASSERT_EQ(few.cases.size(), 1u);
  EXPECT_EQ(few.only_in_full, sample_plan().cases.size() - 1);
  ASSERT_EQ(few.not_planned.size(), 1u);
  EXPECT_EQ(print(few.not_planned[0].subject), "ep=2,fsdp=2 model=moe");
}

TEST(Plan, TheDefaultOfASpaceWithCoveringRowsIsWitnessesThoseRowsAndSmoke) {
  Space space = sample_space();
  space.covering = {*parse_case("tp=2,fsdp=2 accumulation=4")};
  space.smoke = {*parse_case("fsdp=4")};
  EXPECT_FALSE(is_whole(space, Tier::by_default));
  const Plan plan = make_plan(space, {}, sample_rules(), sample_hello(), Tier::by_default);
  std::vector<std::string> cases;
  for (const PlannedCase& one : plan.cases) cases.push_back(print(one.subject));
  EXPECT_THAT(cases, testing::UnorderedElementsAre("ac,tp=2", "tp=2,ac", "fsdp=2,tp=2", "tp=2,fsdp=2", "fsdp=4",
                                                   "tp=2,fsdp=2 accumulation=4"));
  EXPECT_GT(plan.only_in_full, 0u);
}

TEST(Plan, TiersHaveNames) {
  for (const std::string& name : tier_names()) {
    ASSERT_TRUE(find_tier(name));
    EXPECT_EQ(name_of(*find_tier(name)), name);
  }
  EXPECT_EQ(name_of(Tier::by_default), std::string("default"));
  EXPECT_EQ(find_tier("slow"), std::nullopt);
}

// Of five items every order is too much: sample rules order two of them and let ac and tp change places.
TEST(Plan, ALegalSetIsItsLegalOrdersAndOneOrderAnEdge) {
  Space space = sample_space();
  space.transforms = {};
  space.legal_sets = {*parse_stack("tp,ac,fsdp:reshard=never")};
  const Plan plan = make_plan(space, {}, sample_rules(), sample_hello());
  std::vector<std::string> legal;
  for (const PlannedCase& planned : plan.cases)
    if (std::ranges::any_of(planned.sources, [](const Source& s) { return s.kind == SourceKind::legal; }) &&
        planned.subject.stack.items.size() == 3)
      legal.push_back(print(planned.subject));
  EXPECT_THAT(legal, testing::ElementsAre("tp=2,ac,fsdp=2:reshard=never", "tp=2,fsdp=2:reshard=never,ac"))
      << "ac,tp=2,... is the first with neighbours that commute";
  EXPECT_THAT(sources(plan, "ac,fsdp=2:reshard=never,tp=2"), testing::ElementsAre("edge ORD-901"));
}

TEST(Plan, CoveringRowsOfTheSpaceArePlanned) {
  Space space = sample_space();
  space.covering = {*parse_case("tp=2,ac,fsdp=2:reshard=never accumulation=4")};
  const Plan plan = make_plan(space, {}, sample_rules(), sample_hello());
  EXPECT_THAT(sources(plan, "tp=2,ac,fsdp=2:reshard=never accumulation=4"), testing::Contains("covering"));
}

TEST(Plan, StacksOfAnotherModelAreRunOfThat) {
  Space space = sample_space();
  space.own_stacks = {{.model = "mixtral", .stacks = {*parse_stack("fsdp=2")}}};
  Hello hello = sample_hello();
  hello.models.push_back("mixtral");
  EXPECT_NE(find(make_plan(space, {}, sample_rules(), hello), "fsdp=2 model=mixtral"), nullptr);
}

TEST(Plan, StacksSideBySideAreRunForTheStepsOfTheirTable) {
  Space space = sample_space();
  space.traffic = {{.title = "modes", .model = "llama", .steps = 10, .stacks = {*parse_stack("fsdp=2:reshard=never")}}};
  const Plan plan = make_plan(space, {}, sample_rules(), sample_hello());
  EXPECT_THAT(sources(plan, "fsdp=2:reshard=never steps=10"), testing::ElementsAre("traffic modes"));
}

TEST(Plan, RunsOfAProjectsOwnFunctionsAreOfTheEngineThatHasThem) {
  Framework framework{.name = "someone", .order = *parse_stack("tp,fsdp")};
  for (const char* text : {"fsdp=2:reshard=never", "tp=2:sp=off engine=torchtitan"})
    framework.runs.push_back(*parse_case(text));
  const Plan plan = make_plan(sample_space(), {framework}, sample_rules(), sample_hello());
  EXPECT_THAT(sources(plan, "fsdp=2:reshard=never"), testing::ElementsAre("framework someone"));
  EXPECT_EQ(find(plan, "tp=2:sp=off"), nullptr);
}

TEST(Plan, TiersOfAFewStacksHoldThemAlone) {
  Space space = sample_space();
  space.smoke = {*parse_case("fsdp=2"), *parse_case("ep=2")};
  space.versions = {*parse_case("ac,fsdp=4:reshard=never")};
  const Plan smoke = make_plan(space, {}, sample_rules(), sample_hello(), Tier::smoke);
  ASSERT_EQ(smoke.cases.size(), 1u);
  EXPECT_EQ(print(smoke.cases[0].subject), "fsdp=2");
  ASSERT_EQ(smoke.not_planned.size(), 1u) << "what no engine builds is told";
  const Plan versions = make_plan(space, {}, sample_rules(), sample_hello(), Tier::versions);
  ASSERT_EQ(versions.cases.size(), 1u);
  EXPECT_EQ(print(versions.cases[0].subject), "ac,fsdp=4:reshard=never");
}

TEST(Plan, WhatPagesSayOfCompileIsRunUnderInductorToo) {
  Space space = sample_space();
  space.backend_witnesses = 2;
  Hello hello = sample_hello();
  hello.engine = "pytorch";
  hello.transforms.push_back({"compile"});
  hello.transforms.push_back({"sac"});
  Rule rule = sample_order_rule();
  rule.id = "ORD-008";
  rule.witness.bad = *parse_stack("compile,sac");
  rule.witness.good = *parse_stack("tp=2,sac,compile");
  const Plan plan = make_plan(space, {}, {rule}, hello);
  EXPECT_THAT(sources(plan, "compile=inductor,sac engine=pytorch"), testing::ElementsAre("witness ORD-008 bad under inductor"));
  EXPECT_EQ(find(plan, "tp=2,sac,compile=inductor engine=pytorch"), nullptr) << "three items";
  std::ranges::find(hello.transforms, "compile", &BuiltTransform::name)->modes = {""};
  EXPECT_EQ(find(make_plan(space, {}, {rule}, hello), "compile=inductor,sac engine=pytorch"), nullptr) << "it has no backends";
}

TEST(Plan, CodeOfTheUsersIsForTheEngineThatRunsPython) {
  Hello hello = sample_hello();
  const Case own_model{.stack = *parse_stack("tp=2"), .model = "mine:network"};
  const Case own_function{.stack = *parse_stack("cp=2"), .apply = "mine:parallelize"};
  EXPECT_THAT(why_not(own_model, hello), testing::HasSubstr("mine:network"));
  EXPECT_THAT(why_not(own_function, hello), testing::HasSubstr("mine:parallelize"));
  hello.engine = "pytorch";
  hello.own_code = true;
  EXPECT_EQ(why_not(own_model, hello), "");
  EXPECT_EQ(why_not(own_function, hello), "") << "what the stack says is done by the function, not by the engine";
  EXPECT_EQ(why_not({.stack = *parse_stack("cp=2"), .model = "mine:network"}, hello), "the pytorch engine builds no cp");
  EXPECT_THAT(why_not({.stack = *parse_stack("ep=2"), .apply = "mine:parallelize"}, hello), testing::HasSubstr("fsdp=2,ep=2"))
      << "its world would be one rank";
  EXPECT_EQ(why_not({.stack = *parse_stack("fsdp=2,ep=2"), .apply = "mine:parallelize"}, hello), "");
}

TEST(Plan, OptimizersStandAtEveryPosition) {
  const Plan plan = sample_plan();
  for (const char* text : {"optimizer=sgd,tp=2,fsdp=2", "fsdp=2,optimizer=sgd,tp=2", "tp=4,optimizer=sgd"})
    EXPECT_THAT(sources(plan, text), testing::ElementsAre("optimizer")) << text;
}

TEST(Plan, AFrameworkIsAlsoPlannedProjected) {
  Framework framework;
  framework.name = "someone";
  framework.order = *parse_stack("pp,tp,ac,compile,fsdp");
  const Plan plan = sample_plan({framework});
  EXPECT_THAT(sources(plan, "tp=2,ac,fsdp=2"), testing::Contains("framework someone (projected)"));
  ASSERT_EQ(plan.not_planned.size(), 1u);
  EXPECT_EQ(print(plan.not_planned[0].subject), "pp=2,tp=2,ac,compile,fsdp=2");
  EXPECT_EQ(plan.not_planned[0].reason, "the native engine builds no pp, no compile");
}

TEST(Plan, ASpaceMayBoundTheRanks) {
  Space space = sample_space();
  space.most_ranks = 2;
  const Plan plan = make_plan(space, {}, sample_rules(), sample_hello());
  EXPECT_NE(find(plan, "tp=2,ac"), nullptr);
  EXPECT_EQ(find(plan, "tp=2,fsdp=2"), nullptr);
  EXPECT_THAT(reasons_not_planned(plan),
              testing::Contains(testing::Pair("needs 4 ranks, the space has at most 2", testing::Gt(0))));
}

TEST(Plan, WhyNot) {
  const Hello hello = sample_hello();
  EXPECT_EQ(why_not({.stack = *parse_stack("tp=2,fsdp=2")}, hello), "");
  EXPECT_EQ(why_not({.stack = *parse_stack("cp=2")}, hello), "the native engine builds no cp");
  EXPECT_EQ(why_not({.stack = *parse_stack("tp=8")}, hello), "needs 8 ranks, the native engine runs at most 4");
  EXPECT_EQ(why_not({.model = "moe"}, hello), "the native engine builds no model moe");
}

TEST(Plan, ReasonsAreCountedTheMostFrequentFirst) {
  Plan plan;
  for (const char* reason : {"b", "a", "b"}) plan.not_planned.push_back({.reason = reason});
  EXPECT_THAT(reasons_not_planned(plan), testing::ElementsAre(std::pair("b", 2), std::pair("a", 1)));
}

}  // namespace
}  // namespace ordercheck
