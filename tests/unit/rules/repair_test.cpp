#include "rules/repair.h"

#include <gmock/gmock.h>

#include "rules/render.h"
#include "rules/target_runs.h"
#include "unit/rules/small_rules.h"

namespace ordercheck {
namespace {

using testing::ElementsAre;

std::string repair(const Court& court, const char* text) {
  const auto made = repaired(stack(text), court.judge());
  return made ? print(*made) : "none";
}

std::vector<std::string> tries(const Court& court, const char* text) {
  std::vector<std::string> stacks;
  const Report report = court.check(text);
  for (const Try& one : report.findings.at(0).tries) stacks.push_back(print(one.stack));
  return stacks;
}

// One page with a witness of its own.
Court page(const Sketch& sketch, const char* bad, const char* good) {
  Rule made = rule(sketch);
  made.witness.bad = stack(bad);
  made.witness.good = stack(good);
  return Court(Given::rules, {made});
}

TEST(Repairs, AnOrderIsReordered) {
  const Court court(usual_rules());
  EXPECT_EQ(repair(court, "fsdp=2,ac,tp=2"), "tp=2,ac,fsdp=2");
  EXPECT_EQ(repair(court, "tp=2,ac"), "none") << "there is nothing to mend";
}

TEST(Repairs, AFindingTriesTheNearestMoveFirst) {
  EXPECT_THAT(tries(Court(usual_rules()), "cp=2,fsdp=2,tp=2"), ElementsAre("cp=2,tp=2,fsdp=2"));
}

TEST(Repairs, AMoveThatLeavesAnErrorIsNotOffered) {
  const Report report = Court(usual_rules()).check("fsdp=2,ac,tp=2");
  for (const Finding& finding : report.findings) EXPECT_EQ(print(finding.tries.at(0).stack), "tp=2,ac,fsdp=2") << finding.rule;
}

TEST(Repairs, ADegreeGoesToTheNearestThatFits) {
  const Court court({{"FIT-001", RuleKind::fits, "tp", "", Harm::fails, "heads % tp != 0"}});
  EXPECT_EQ(repair(court, "ac,tp=5"), "ac,tp=4");
  EXPECT_EQ(repair(court, "tp=7"), "tp=6");
}

TEST(Repairs, AMeshTooLargeShrinks) {
  const Court court({{"FIT-001", RuleKind::fits, "", "", Harm::fails, "world > ranks"}}, 4);
  EXPECT_EQ(repair(court, "tp=2,fsdp=3"), "tp=1,fsdp=3");
}

TEST(Repairs, WhatIsNeededIsAdded) {
  const Court court(
      {{"NEE-001", RuleKind::needs, "simple_fsdp", "compile@model"}, {"ORD-001", RuleKind::order, "compile", "simple_fsdp"}});
  EXPECT_EQ(repair(court, "tp=2,simple_fsdp=2"), "tp=2,simple_fsdp=2,compile@model");
}

TEST(Repairs, OfTwoThatClashTheLaterGoes) {
  EXPECT_EQ(repair(Court({{"CLA-001", RuleKind::clash, "ac|sac", "ac|sac"}}), "ac,tp=2,sac"), "ac,tp=2");
}

TEST(Repairs, AContradictionLosesAnItem) {
  const Court court({{"ORD-001", RuleKind::order, "ac", "tp"}, {"ORD-002", RuleKind::order, "tp", "ac"}});
  EXPECT_EQ(repair(court, "ac,tp=2"), "ac");
}

TEST(Repairs, SeveralErrorsAreMendedOneAfterTheOther) {
  std::vector<Sketch> sketches = usual_rules();
  sketches.push_back({"CLA-001", RuleKind::clash, "ac|sac", "ac|sac"});
  sketches.push_back({"FIT-001", RuleKind::fits, "tp", "", Harm::fails, "heads % tp != 0"});
  EXPECT_EQ(repair(Court(sketches), "fsdp=2,ac,tp=5,sac"), "tp=4,ac,fsdp=2");
}

TEST(Repairs, ThePagesOwnOptionComesBeforeLeavingATransformOut) {
  const Court court = page({"CLA-017", RuleKind::clash, "compile@block", "tp:!plan", Harm::wrong, "tp > 1 && dp > 1"},
                           "tp=2,compile,fsdp=2", "tp=2:plan=blocks,compile,fsdp=2");
  EXPECT_THAT(tries(court, "tp=4:sp=on,ac,compile=inductor,hsdp=2x2"),
              ElementsAre("tp=4:sp=on:plan=blocks,ac,compile=inductor,hsdp=2x2", "tp=4:sp=on,ac,hsdp=2x2",
                          "ac,compile=inductor,hsdp=2x2"));
  EXPECT_EQ(repair(court, "tp=4:sp=on,ac,compile=inductor,fsdp=2"), "tp=4:sp=on:plan=blocks,ac,compile=inductor,fsdp=2");
}

TEST(Repairs, AnotherTransformTakesThePlaceAndTheRanksOfTheTwo) {
  const Court court = page({"CLA-013", RuleKind::clash, "ddp", "fsdp|hsdp"}, "fsdp=2,ddp=2", "hsdp=2x2");
  EXPECT_EQ(repair(court, "ddp=2,fsdp=2"), "hsdp=2x2");
  EXPECT_EQ(repair(court, "tp=2,ddp=3,ac,fsdp=4:reshard=never"), "tp=2,ac,hsdp=3x4:reshard=never");
  EXPECT_EQ(repair(court, "ddp=3,hsdp=2x4"), "hsdp=6x4");
}

TEST(Repairs, AnotherTransformOfAnotherAxisTakesTheRanks) {
  EXPECT_EQ(repair(page({"CLA-016", RuleKind::clash, "pp", "ddp"}, "pp=2,ddp=2", "pp=2,fsdp=2"), "pp=2,ddp=4"), "pp=2,fsdp=4");
  EXPECT_EQ(repair(page({"CLA-004", RuleKind::clash, "ddp", "tp"}, "tp=2,ddp=2", "tp=2,hsdp=2x1"), "tp=2,ddp=4"),
            "tp=2,hsdp=4x1");
}

TEST(Repairs, APageMayChangeTheScopeOrTakeAnOptionAway) {
  EXPECT_EQ(
      repair(page({"EFF-001", RuleKind::effect, "compile@model", "pp", Harm::ignored}, "pp=2,compile@model", "pp=2,compile"),
             "pp=4,ac,compile=inductor@model"),
      "pp=4,ac,compile=inductor");
  EXPECT_EQ(repair(page({"CLA-006", RuleKind::clash, "ac:reentrant", "pp:zero_bubble"}, "pp=2:zero_bubble,ac:reentrant",
                        "pp=2:zero_bubble,ac"),
                   "pp=2:zero_bubble,tp=2,ac=selective:reentrant"),
            "pp=2:zero_bubble,tp=2,ac=selective");
}

TEST(Repairs, AnOptionOfTheSameGroupGivesWay) {
  EXPECT_EQ(
      repair(page({"CLA-007", RuleKind::clash, "compile", "pp:zero_bubble"}, "pp=2:zero_bubble,compile", "pp=2:1f1b,compile"),
             "pp=4:zero_bubble:microbatches=8,compile"),
      "pp=4:microbatches=8:1f1b,compile");
}

TEST(Repairs, ACureThatOnlyLeavesOutIsTriedLast) {
  const Court court = page({"CLA-001", RuleKind::clash, "ac|sac", "ac|sac"}, "ac,ac", "ac");
  const Report report = court.check("ac,tp=2,sac");
  EXPECT_EQ(print(report.findings.at(0).tries.at(0).stack), "ac,tp=2");
  EXPECT_THAT(render_text(report, false), testing::HasSubstr("drops sac ["));
}

TEST(Repairs, WhatARunShowsToBeWrongIsNotOffered) {
  Rule clash = rule({"CLA-013", RuleKind::clash, "ddp", "fsdp"});
  clash.witness.bad = stack("fsdp=2,ddp=2");
  clash.witness.good = stack("hsdp=2x2");
  const auto offered = [&](std::vector<Observation> runs) {
    const Court court(Given::rules, {clash}, std::move(runs));
    return tries(court, "tp=2,fsdp=2,ddp=2");
  };
  const std::vector<std::string> all = offered({});
  EXPECT_THAT(all, ElementsAre("tp=2,hsdp=2x2", "tp=2,fsdp=2", "tp=2,ddp=2"));
  EXPECT_THAT(offered({ran("tp=2,ddp=2", Verdict::equal)}), all);
  EXPECT_THAT(offered({ran("tp=2,ddp=2", Verdict::fails)}), ElementsAre("tp=2,hsdp=2x2", "tp=2,fsdp=2"));
  // With other degrees too, and then something else is the repaired stack.
  EXPECT_THAT(offered({ran("tp=2,ddp=4", Verdict::differs)}), ElementsAre("tp=2,hsdp=2x2", "tp=2,fsdp=2"));
  const Court wrong_cure(Given::rules, {clash}, {ran("tp=2,hsdp=2x2", Verdict::differs)});
  EXPECT_EQ(repair(wrong_cure, "tp=2,fsdp=2,ddp=2"), "tp=2,fsdp=2");
}

// A harm without tied weights counts against a job that has them; an equal run does not speak for it.
TEST(Repairs, ARunOfAnotherKindOfModelCountsWhereItShowsAHarm) {
  Rule clash = rule({"CLA-013", RuleKind::clash, "ddp", "fsdp"});
  clash.witness.bad = stack("fsdp=2,ddp=2");
  clash.witness.good = stack("hsdp=2x2");
  const Job tied({}, {{"tied", 1}});
  const Court harmed(Given::rules, {clash}, {ran("tp=2,ddp=2", Verdict::fails)}, tied);
  EXPECT_THAT(tries(harmed, "tp=2,fsdp=2,ddp=2"), ElementsAre("tp=2,hsdp=2x2", "tp=2,fsdp=2"));
  const Court equal(Given::rules, {clash}, {ran("tp=2,hsdp=2x2", Verdict::equal)}, tied);
  EXPECT_THAT(runs_in_words(stack("tp=2,hsdp=2x2"), equal.judge(), Case{}.model), testing::StartsWith("not run on"));
  const Court untied(Given::rules, {clash}, {ran("tp=2,hsdp=2x2", Verdict::equal)});
  EXPECT_THAT(runs_in_words(stack("tp=2,hsdp=2x2"), untied.judge(), Case{}.model), testing::StartsWith("equal when run on"));
}

TEST(Repairs, ARunWhoseOwnSizesDoNotFitSaysNothingOfOthers) {
  Rule clash = rule({"CLA-001", RuleKind::clash, "ac|sac", "ac|sac"});
  const Rule heads = rule({"FIT-002", RuleKind::fits, "tp", "", Harm::fails, "heads % tp != 0"});
  const Court court(Given::rules, {clash, heads}, {ran("ac,tp=5", Verdict::fails)});
  EXPECT_EQ(repair(court, "ac,tp=2,sac"), "ac,tp=2");
}

TEST(Repairs, ACureThatDoesNotHelpIsNotOffered) {
  // What the page sets is not what it flags.
  const Court court = page({"CLA-001", RuleKind::clash, "compile", "tp"}, "tp=2,compile", "tp=2:plan=blocks,compile");
  EXPECT_THAT(tries(court, "tp=2,compile"), ElementsAre("tp=2", "compile"));
}

TEST(Repairs, WhatIsTriedMendsTheOtherErrorsToo) {
  std::vector<Rule> rules;
  for (const Sketch& sketch : usual_rules()) rules.push_back(rule(sketch));
  rules.push_back(rule({"CLA-013", RuleKind::clash, "ddp", "fsdp"}));
  rules.back().witness.bad = stack("fsdp=2,ddp=2");
  rules.back().witness.good = stack("hsdp=2x2");
  const Court court(Given::rules, rules);
  const Report report = court.check("ac,tp=2,ddp=2,fsdp=2");
  for (const Finding& finding : report.findings) {
    ASSERT_FALSE(finding.tries.empty()) << finding.rule;
    EXPECT_EQ(print(finding.tries[0].stack), "tp=2,ac,hsdp=2x2") << finding.rule;
  }
}

TEST(Repairs, AtMostThreeAreOffered) {
  const Court court({{"FIT-001", RuleKind::fits, "tp", "", Harm::fails, "heads % tp != 0"}});
  EXPECT_THAT(tries(court, "ac,tp=5"), ElementsAre("ac,tp=4", "ac,tp=6", "ac,tp=3"));
}

TEST(Repairs, NoneIsOfferedWhereNoneIsFound) {
  EXPECT_EQ(repair(Court({{"FIT-001", RuleKind::fits, "", "", Harm::fails, "layers == 2"}}), "tp=2"), "none");
}

using testing::Contains;
using testing::IsEmpty;

// What is tried against a page about these sizes, on 8 ranks and for 64 heads of which 8 are of keys and values.
std::vector<std::string> sizes_for(const char* item, const char* when, const char* text) {
  const std::vector<Rule> rules{rule({"FIT-001", RuleKind::fits, item, "", Harm::fails, when})};
  const std::vector<Observation> nothing;
  const Judge judge(rules, {.project = "pytorch", .implementation = "", .version = Version{{2, 11}}}, nothing,
                    Job(8, {{"heads", 64}, {"kv_heads", 8}}));
  const Stack made = stack(text);
  const std::vector<Fired> fired = fired_on(made, judge);
  std::vector<std::string> texts;
  if (!fired.empty())
    for (const Stack& one : resized(fired.front(), made, judge)) texts.push_back(print(one));
  return texts;
}

TEST(Resizing, FindsTheNearestHoweverFar) {
  EXPECT_THAT(sizes_for("tp", "kv_heads % tp != 0", "tp=64"), ElementsAre("tp=8", "tp=4", "tp=2", "tp=1"));
  EXPECT_EQ(sizes_for("", "world > ranks", "fsdp=100000").front(), "fsdp=8");
}

TEST(Resizing, ChangesTwoNumbersWhereNoOneWillDo) {
  EXPECT_THAT(sizes_for("", "ranks % world != 0", "tp=3,fsdp=3"), Contains("tp=2,fsdp=2"));
  EXPECT_EQ(sizes_for("", "ranks % world != 0", "hsdp=3x5").front(), "hsdp=2x4");
  EXPECT_EQ(sizes_for("", "ranks % world != 0", "tp=2,fsdp=3").front(), "tp=2,fsdp=2") << "here one will do";
}

TEST(Resizing, LeavesItemsThatThePageIsNotAbout) {
  for (const std::string& text : sizes_for("tp", "kv_heads % tp != 0", "tp=3,fsdp=3"))
    EXPECT_TRUE(text.ends_with(",fsdp=3")) << text;
}

TEST(Resizing, MakesMoreMicrobatchesBeforeFewer) {
  EXPECT_EQ(sizes_for("pp", "microbatches < pp", "pp=4:microbatches=3").front(), "pp=4:microbatches=4");
}

TEST(Resizing, FindsNothingWhereNoSizeWillDo) { EXPECT_THAT(sizes_for("tp", "tp > 0", "tp=2"), IsEmpty()); }

}  // namespace
}  // namespace ordercheck
