#include "record/own_code.h"

#include <gtest/gtest.h>

#include "record/verdict_of_runs.h"
#include "unit/record/sound_comparison.h"

namespace ordercheck {
namespace {

// The user's optimizer lacks it on one rank too.
TEST(OwnCode, AParameterThatTheUsersOptimizerLacksIsIgnored) {
  Comparison comparison = sound();
  for (Record* record : {&comparison.first, &*comparison.again, &*comparison.reference}) record->parameters[2].changed = false;
  EXPECT_EQ(judge(comparison).verdict, Verdict::equal);
  for (std::string Case::* own : {&Case::optimizer, &Case::step}) {
    Comparison of_user = comparison;
    of_user.subject.*own = "mine:make";
    EXPECT_EQ(judge(of_user).verdict, Verdict::ignored);
    EXPECT_EQ(judge(of_user).message, "1 of 3 parameters never changed: output.weight");
    for (Record* record : {&of_user.first, &*of_user.again, &*of_user.reference}) record->parameters[2].frozen = true;
    EXPECT_EQ(judge(of_user).verdict, Verdict::equal);
  }
}

TEST(OwnCode, AParameterThatOneRankLacksIsComparedWithNothing) {
  Comparison comparison = sound();
  comparison.subject.apply = "mine:adapt";
  for (Record* record : {&comparison.first, &*comparison.again}) {
    record->parameters.push_back(record->parameters[2]);
    record->parameters.back().name = "adapter";
  }
  EXPECT_EQ(judge(comparison).verdict, Verdict::unrun);
  EXPECT_EQ(
      judge(comparison).message,
      "mine:adapt adds the parameter adapter, which the model on one rank lacks, so that nothing can be compared with it; "
      "add it on one rank (mesh None) as well");
  comparison.reference->parameters.push_back(comparison.first.parameters.back());
  EXPECT_EQ(judge(comparison).verdict, Verdict::equal);
}

}  // namespace
}  // namespace ordercheck
