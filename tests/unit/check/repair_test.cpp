#include "check/repair.h"

#include <gmock/gmock.h>

#include "unit/check/small_rules.h"

namespace ordercheck {
namespace {

std::string repair(const Court& court, const char* text) {
  const auto made = repaired(stack(text), court.judge());
  return made ? print(*made) : "none";
}

TEST(Repairs, AnOrderIsReordered) {
  const Court court(usual_rules());
  EXPECT_EQ(repair(court, "fsdp=2,ac,tp=2"), "tp=2,ac,fsdp=2");
  EXPECT_EQ(repair(court, "tp=2,ac"), "none") << "there is nothing to mend";
}

TEST(Repairs, AFindingTriesTheNearestMoveFirst) {
  const Report report = Court(usual_rules()).check("cp=2,fsdp=2,tp=2");
  EXPECT_EQ(print(*report.findings.at(0).repair), "cp=2,tp=2,fsdp=2");
}

TEST(Repairs, AMoveThatLeavesAnErrorIsNotOffered) {
  const Report report = Court(usual_rules()).check("fsdp=2,ac,tp=2");
  for (const Finding& finding : report.findings) EXPECT_EQ(print(*finding.repair), "tp=2,ac,fsdp=2") << finding.rule;
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
  const Court court({{"NEE-001", RuleKind::needs, "simple_fsdp", "compile@model"},
                     {"ORD-001", RuleKind::order, "compile", "simple_fsdp"}});
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

TEST(Repairs, NoneIsOfferedWhereNoneIsFound) {
  EXPECT_EQ(repair(Court({{"FIT-001", RuleKind::fits, "", "", Harm::fails, "layers == 2"}}), "tp=2"), "none");
}

}  // namespace
}  // namespace ordercheck
