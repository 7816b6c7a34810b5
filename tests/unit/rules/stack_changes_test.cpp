#include "rules/stack_changes.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "unit/rules/small_rules.h"

namespace ordercheck {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

StackChanges between(const Court& court, const char* left, const char* right) {
  return changes_between(stack(left), stack(right), court.judge());
}

TEST(ChangesBetween, NamesWhatIsOnOneSideOnly) {
  const Court court(usual_rules());
  const StackChanges changes = between(court, "tp=2,ac", "tp=2,compile,fsdp=2");
  EXPECT_EQ(print(Stack{changes.only_left}), "ac");
  EXPECT_EQ(print(Stack{changes.only_right}), "compile,fsdp=2");
  EXPECT_THAT(changes.axes, ElementsAre(AxisChange{"dp_shard", 1, 2}));
  EXPECT_EQ(changes.ranks_left, 2);
  EXPECT_EQ(changes.ranks_right, 4);
}

TEST(ChangesBetween, AChangedItemIsOneItem) {
  const Court court(usual_rules());
  const StackChanges changes = between(court, "compile@model,ac,compile", "compile,compile:fullgraph@model,ac=selective");
  EXPECT_THAT(changes.only_left, IsEmpty());
  EXPECT_THAT(changes.only_right, IsEmpty());
  ASSERT_EQ(changes.changed.size(), 2u);
  EXPECT_EQ(print(changes.changed[0].right), "compile:fullgraph@model");
  EXPECT_EQ(print(changes.changed[1].left), "ac");
  EXPECT_THAT(changes.axes, IsEmpty());
}

TEST(ChangesBetween, EverySwappedPairHasBothAnswers) {
  const Court court(usual_rules());
  const StackChanges changes = between(court, "tp=2,ac,fsdp=2", "fsdp=2,tp=2,ac");
  ASSERT_EQ(changes.swapped.size(), 2u);
  EXPECT_EQ(changes.swapped[0].first.name, "tp");
  EXPECT_EQ(changes.swapped[0].second.name, "fsdp");
  EXPECT_EQ(changes.swapped[0].left.word, PairWord::yes);
  EXPECT_EQ(changes.swapped[0].right.word, PairWord::no);
  EXPECT_EQ(changes.swapped[0].right.rule->id, "ORD-002");
  EXPECT_EQ(render_text(changes, court.judge()),
            "  swapped     tp=2 before fsdp=2 (yes) became fsdp=2 before tp=2 (no): ORD-002 incidental (cited): "
            "Because it is so [torchtitan#1554, 2025-08-13]\n"
            "  swapped     ac before fsdp=2 (yes) became fsdp=2 before ac (no): ORD-003 incidental (cited): "
            "Because it is so [torchtitan#1554, 2025-08-13]\n");
}

TEST(ChangesBetween, OneStackHasNone) {
  const Court court(usual_rules());
  EXPECT_EQ(render_text(between(court, "TP=2 -> AC", "AC(TP=2(model))"), court.judge()), "  nothing: the two are one stack\n");
}

// Any order of the same items is told by its swaps alone, as many as there are inversions.
RC_GTEST_PROP(ChangesBetween, AnotherOrderIsSwapsAlone, ()) {
  const Court court(usual_rules());
  const Stack left = stack("pp=2,tp=2,cp=2,ac,compile,fsdp=2");
  std::vector<std::size_t> order{0, 1, 2, 3, 4, 5};
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(i)))]);
  Stack right;
  std::size_t inversions = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    right.items.push_back(left.items[order[i]]);
    for (std::size_t j = i + 1; j < order.size(); ++j) inversions += order[i] > order[j];
  }
  const StackChanges changes = changes_between(left, right, court.judge());
  RC_ASSERT(changes.swapped.size() == inversions);
  RC_ASSERT(changes.only_left.empty() && changes.only_right.empty() && changes.changed.empty() && changes.axes.empty());
}

}  // namespace
}  // namespace ordercheck
