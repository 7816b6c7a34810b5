#include "rules/trainer.h"

#include <gmock/gmock.h>

#include "unit/rules/small_rules.h"

namespace ordercheck {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Observation run_of(const char* engine, const char* version, const char* case_text) {
  Observation seen;
  seen.engine = engine;
  seen.version = version;
  seen.case_text = case_text;
  return seen;
}

class UnknownTransforms : public testing::Test {
 protected:
  std::vector<Unknown> unknown(const char* text, const char* target) const {
    return unknown_in(stack(text), Judge(rules_, *parse_target(target), runs_));
  }

  std::vector<Rule> rules_ = {rule({"ORD-001", RuleKind::order, "ep", "fsdp", Harm::fails, "", "pytorch>=2"}),
                              rule({"CLA-001", RuleKind::clash, "ep", "tp", Harm::wrong, "", "torchtitan>=0.2"}),
                              rule({"ORD-002", RuleKind::order, "cp", "ep", Harm::wrong, "", "megatron>=0"})};
  std::vector<Observation> runs_ = {run_of("pytorch", "2.15.0", "tp=2,fsdp=2 engine=pytorch"),
                                    run_of("torchtitan", "0.2.2", "ep=2,tp=2 engine=torchtitan")};
};

TEST_F(UnknownTransforms, AreThoseThatNoRunOfTheTargetHas) {
  EXPECT_THAT(unknown("tp=2,fsdp=2", "pytorch-2.15"), IsEmpty());
  // A page that orders ep was written for pytorch, and nobody ran it there.
  const std::vector<Unknown> found = unknown("fsdp=2,ep=2,tp=2", "pytorch-2.15");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].transform, "ep");
}

TEST_F(UnknownTransforms, AreNotKnownByRunsOfAnotherReleaseWhereThisOneWasRun) {
  runs_.push_back(run_of("torchtitan", "0.3.0", "cp=2,tp=2 engine=torchtitan"));
  EXPECT_EQ(unknown("ep=2,tp=2", "torchtitan-0.3.0").at(0).transform, "ep");
  EXPECT_EQ(unknown("cp=2,tp=2", "torchtitan-0.2.2").at(0).transform, "cp");
  EXPECT_THAT(unknown("cp=2,tp=2", "torchtitan-0.3.0"), IsEmpty());
  EXPECT_THAT(unknown("cp=2,ep=2", "torchtitan-0.2.1"), IsEmpty());  // never run: any release speaks for it
}

TEST_F(UnknownTransforms, SayWhatPagesOfOtherProjectsFind) {
  const std::vector<Unknown> found = unknown("ep=2,tp=2", "pytorch-2.15");
  ASSERT_EQ(found.size(), 1u);
  ASSERT_EQ(found[0].elsewhere.size(), 2u);  // by name; the page of pytorch itself is none
  EXPECT_EQ(print(found[0].elsewhere[0].target), "megatron");
  EXPECT_EQ(found[0].elsewhere[1].target.project, "torchtitan");
  EXPECT_EQ(found[0].elsewhere[1].counts, (Counts{.errors = 1, .advice = 0}));
}

TEST_F(UnknownTransforms, OfAProjectThatIsNeverRunAreThoseThatNoPageNames) {
  EXPECT_THAT(unknown("ep=2,cp=2", "megatron-0"), IsEmpty());
  EXPECT_EQ(unknown("ep=2,ac", "megatron-0").at(0).transform, "ac");
}

TEST_F(UnknownTransforms, MakeAStackNeitherLegalNorIllegal) {
  const Judge judge(rules_, *parse_target("pytorch-2.15"), runs_);
  EXPECT_EQ(legality_of(check(stack("tp=2,fsdp=2"), judge)), Legality::legal);
  EXPECT_EQ(legality_of(check(stack("ep=2,tp=2"), judge)), Legality::unknown);
  EXPECT_EQ(legality_of(check(stack("ep=2,fsdp=2"), judge)), Legality::illegal);  // what is known against it stands
}

}  // namespace
}  // namespace ordercheck
