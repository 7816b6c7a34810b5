#include "rules/smallest_conflict.h"

#include <gmock/gmock.h>

#include "unit/rules/small_rules.h"

namespace ordercheck {
namespace {

using testing::ElementsAre;

TEST(SmallestConflict, IsThePairThatIsWrong) {
  const auto conflict = smallest_conflict(stack("pp=2,fsdp=2,cp=2,ac"), Court(usual_rules()).judge());
  ASSERT_TRUE(conflict);
  EXPECT_EQ(print(conflict->stack), "fsdp=2,ac");
  EXPECT_THAT(conflict->items, ElementsAre(1, 3));
  EXPECT_THAT(conflict->rules, ElementsAre("ORD-003"));
  EXPECT_FALSE(conflict->no_order);
}

TEST(SmallestConflict, IsTheFirstOfSeveral) {
  EXPECT_EQ(print(smallest_conflict(stack("fsdp=2,ac,tp=2"), Court(usual_rules()).judge())->stack), "fsdp=2,ac");
}

TEST(SmallestConflict, NoneWhereThereIsOnlyAdvice) {
  EXPECT_FALSE(smallest_conflict(stack("compile,ac"), Court(usual_rules()).judge()));
}

TEST(SmallestConflict, OneItemMayBeEnough) {
  const Court court({{"FIT-001", RuleKind::fits, "tp", "", Harm::fails, "heads % tp != 0"}});
  EXPECT_EQ(print(smallest_conflict(stack("ac,tp=5,fsdp=2"), court.judge())->stack), "tp=5");
}

// Dropping what another item needs makes an error that the whole does not have: it must not be taken for the core.
TEST(SmallestConflict, ErrorsOfThePartAloneDoNotCount) {
  const Court court({{"NEE-001", RuleKind::needs, "ac", "compile"}, {"ORD-001", RuleKind::order, "fsdp", "tp"}});
  EXPECT_EQ(print(smallest_conflict(stack("ac,compile,fsdp=2,tp=2"), court.judge())->stack), "fsdp=2,tp=2");
}

TEST(SmallestConflict, AContradictionIsNamedWithAllItsRules) {
  const Court court({{"ORD-001", RuleKind::order, "ac", "tp"},
                     {"ORD-002", RuleKind::order, "tp", "fsdp"},
                     {"ORD-003", RuleKind::order, "fsdp", "ac"}});
  const auto conflict = smallest_conflict(stack("pp=2,tp=2,ac,fsdp=2"), court.judge());
  ASSERT_TRUE(conflict);
  EXPECT_TRUE(conflict->no_order);
  EXPECT_EQ(print(conflict->stack), "tp=2,ac,fsdp=2");
  EXPECT_THAT(conflict->rules, ElementsAre("ORD-001", "ORD-002", "ORD-003"));
}

}  // namespace
}  // namespace ordercheck
