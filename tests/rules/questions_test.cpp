// What the project's own pages answer to questions about pairs and sets.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "rules/load.h"
#include "rules/match.h"
#include "rules/orders.h"
#include "rules/pages.h"
#include "rules/pair_answer.h"
#include "stack/notation.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

class Page : public testing::TestWithParam<Rule> {};

// Do two neighbours play the page's two parts? A reason is given for neighbours only.
bool orders_neighbours(const Rule& rule, const Stack& stack) {
  return std::ranges::any_of(demands(rule, stack, Job{}),
                             [](const Demand& demand) { return demand.before + 1 == demand.after; });
}

// Whatever else is said about the items, the order that a page asks for is the one suggested.
TEST_P(Page, ItsOrderIsTheOneSuggested) {
  const std::vector<Observation> nothing;
  const Judge judge(pages(), target_of(GetParam()), nothing);
  const Suggestion made = suggest(GetParam().witness.bad, judge);
  EXPECT_TRUE(firings(GetParam(), made.order).empty()) << print(made.order);
  if (!orders_neighbours(GetParam(), made.order)) return;
  EXPECT_TRUE(std::ranges::any_of(made.reasons, [&](const OrderReason& reason) {
    return reason.rule != nullptr && reason.rule->id == GetParam().id;
  })) << render_text(made, judge, false);
}

std::vector<Rule> order_pages() {
  std::vector<Rule> found;
  for (const Rule& rule : pages())
    if (rule.kind == RuleKind::order) found.push_back(rule);
  return found;
}
INSTANTIATE_TEST_SUITE_P(Pages, Page, testing::ValuesIn(order_pages()), test_name);

Judge newest() {
  static const std::vector<Observation> nothing;
  return Judge(pages(), *settle_target({.project = "pytorch"}, pages(), nothing), nothing);
}

// A word for every order of every two transforms, the pair in one sentence, and both orders apart or both commuting.
TEST(Pairs, EveryTwoTransformsHaveAnAnswer) {
  const Judge judge = newest();
  for (const TransformInfo& one : transforms())
    for (const TransformInfo& other : transforms()) {
      const Item a{.name = one.name}, b{.name = other.name};
      const PairAnswer straight = answer_for(a, b, judge), turned = answer_for(b, a, judge);
      EXPECT_EQ(straight.word == PairWord::apart, turned.word == PairWord::apart) << one.name << " " << other.name;
      EXPECT_EQ(straight.word == PairWord::commutes, turned.word == PairWord::commutes) << one.name << " " << other.name;
      EXPECT_EQ(straight.word == PairWord::open, straight.rule == nullptr);
      EXPECT_THAT(verdict_in_words(a, b, judge), testing::Not(testing::HasSubstr("\n")));
      EXPECT_FALSE(explain_pair(a, b, judge).empty());
    }
}

// Of any set, the order suggested breaks no order page that is an error, and is suggested again.
RC_GTEST_PROP(Suggestions, KeepEveryErrorAndAreSettled, ()) {
  const Judge judge = newest();
  Stack items;
  for (const TransformInfo& info : transforms())
    if (*rc::gen::arbitrary<bool>()) items.items.push_back({.name = info.name});
  const Suggestion made = suggest(items, judge);
  for (const Rule& rule : pages())
    if (rule.kind == RuleKind::order && judge.severity(rule) == Severity::error) RC_ASSERT(firings(rule, made.order).empty());
  RC_ASSERT(suggest(made.order, judge).order == made.order);
  RC_ASSERT(made.reasons.size() + 1 >= items.items.size());
}

// What a page excepts in words, its pattern or condition excepts too.
struct Excepted {
  const char* rule;
  const char* stack;
  bool fires;
};

TEST(Exceptions, AreThoseOfThePagesText) {
  for (const auto& [id, stack, fires] :
       {Excepted{"ORD-008", "compile=aot_eager,sac", false}, Excepted{"ORD-008", "compile=inductor,sac", true},
        Excepted{"CLA-025", "tp=2,ep=2:etp=2,fsdp=2", false}, Excepted{"CLA-025", "tp=2,ep=2,fsdp=2", true},
        Excepted{"EFF-005", "tp=2,ep=2:etp=2,fsdp=2", true}, Excepted{"EFF-005", "tp=2,ep=2,fsdp=2", false},
        Excepted{"ORD-037", "compile:wrap@model,tp=2:plan=blocks", false},
        Excepted{"ORD-037", "compile:wrap@model,tp=2:sp=off", false},
        Excepted{"ORD-039", "compile:wrap@model,tp=2:sp=off", true}}) {
    const Rule* rule = find_rule(pages(), id);
    ASSERT_NE(rule, nullptr) << id;
    EXPECT_EQ(!firings(*rule, *parse_stack(stack), job_of(rule->witness)).empty(), fires) << id << " on " << stack;
  }
}

}  // namespace
}  // namespace ordercheck
