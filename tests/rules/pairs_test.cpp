// The pairs that torchtitan#1554 asks about, each spoken to by a page in both orders: so that none goes missing in
// silence.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "rules/match.h"
#include "rules/pages.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

using Pair = std::pair<std::string, std::string>;

// As a stack would write them: a degree of 2 where there is one, everything else by default.
const std::map<std::string, std::string> kItems = {{"pp", "pp=2"},     {"tp", "tp=2"},   {"ep", "ep=2"},
                                                   {"ac", "ac"},       {"sac", "sac"},   {"compile", "compile"},
                                                   {"fsdp", "fsdp=2"}, {"ddp", "ddp=2"}, {"simple_fsdp", "simple_fsdp=2"}};

const std::vector<Pair> kPairs = {{"pp", "tp"},
                                  {"pp", "ac"},
                                  {"pp", "sac"},
                                  {"pp", "compile"},
                                  {"pp", "fsdp"},
                                  {"pp", "ddp"},
                                  {"pp", "simple_fsdp"},
                                  {"tp", "ac"},
                                  {"tp", "sac"},
                                  {"tp", "compile"},
                                  {"tp", "fsdp"},
                                  {"tp", "ddp"},
                                  {"tp", "simple_fsdp"},
                                  {"ac", "sac"},
                                  {"ac", "compile"},
                                  {"ac", "fsdp"},
                                  {"ac", "ddp"},
                                  {"sac", "compile"},
                                  {"sac", "fsdp"},
                                  {"sac", "ddp"},
                                  {"compile", "fsdp"},
                                  {"compile", "ddp"},
                                  {"compile", "simple_fsdp"},
                                  {"fsdp", "ddp"},
                                  // Where there is a mixture of experts.
                                  {"ep", "ac"},
                                  {"ep", "sac"},
                                  {"ep", "compile"},
                                  {"ep", "fsdp"},
                                  {"ep", "pp"},
                                  {"ep", "ddp"}};

Stack stack_of(const std::string& one, const std::string& other) {
  const Result<Stack> stack = parse_stack(kItems.at(one) + "," + kItems.at(other));
  EXPECT_TRUE(stack) << one << ", " << other;
  return stack ? *stack : Stack{};
}

// Does the page fire on the stack, or let its two items change places? Pages about one item alone say nothing of a
// pair.
bool fires(const Rule& rule, const Stack& stack) {
  switch (rule.kind) {
    case RuleKind::order:
    case RuleKind::clash: return !firings(rule, stack).empty();
    case RuleKind::effect: return !rule.other.any_of.empty() && !firings(rule, stack).empty();
    case RuleKind::commutes: return !commuting_pairs(rule, stack).empty();
    case RuleKind::needs:
    case RuleKind::fits: return false;
  }
  return false;
}

// The pages that speak to a pair: an order page speaks to both orders, by firing on one of them.
std::set<std::string> speakers(const std::vector<Rule>& rules, const Pair& pair) {
  std::set<std::string> ids;
  for (const Rule& rule : rules)
    if (fires(rule, stack_of(pair.first, pair.second)) || fires(rule, stack_of(pair.second, pair.first))) ids.insert(rule.id);
  return ids;
}

class Pairs : public testing::TestWithParam<Pair> {};

TEST_P(Pairs, IsSpokenTo) {
  EXPECT_FALSE(speakers(pages(), GetParam()).empty())
      << "no order, clash, effect or commutes page speaks to " << GetParam().first << " and " << GetParam().second
      << ": write one (CONTRIBUTING.md, \"Add a rule\")";
}

INSTANTIATE_TEST_SUITE_P(Discussion, Pairs, testing::ValuesIn(kPairs),
                         [](const auto& info) { return info.param.first + "_and_" + info.param.second; });

TEST(Pairs, AreAllThatTheNamesMake) {
  // Not simple_fsdp: of its pairs with ac, sac, fsdp and ddp nobody said anything that a run could show.
  const std::vector<std::string> names = {"pp", "tp", "ac", "sac", "compile", "fsdp", "ddp"};
  const std::set<Pair> listed(kPairs.begin(), kPairs.end());
  EXPECT_EQ(listed.size(), kPairs.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t j = i + 1; j < names.size(); ++j)
      EXPECT_TRUE(listed.contains({names[i], names[j]})) << names[i] << " and " << names[j];
}

// That the test can fail: without the one page that speaks to it, a pair is silent.
TEST(Pairs, AreSilentWithoutTheirPages) {
  const auto lonely = std::ranges::find_if(kPairs, [](const Pair& one) { return speakers(pages(), one).size() == 1; });
  ASSERT_NE(lonely, kPairs.end());
  const Pair pair = *lonely;
  const std::set<std::string> ids = speakers(pages(), pair);
  std::vector<Rule> fewer;
  for (const Rule& rule : pages())
    if (!ids.contains(rule.id)) fewer.push_back(rule);
  EXPECT_TRUE(speakers(fewer, pair).empty());
}

}  // namespace
}  // namespace ordercheck
