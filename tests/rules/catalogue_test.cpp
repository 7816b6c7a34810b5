// The compiled catalogue against its pages read one by one, as rule/rule.h says what each kind is about.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "rule/match.h"
#include "rule/when.h"
#include "rules/pages.h"
#include "stack/notation.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

// One page on one stack, without any table.
class PlainReading {
 public:
  PlainReading(const Rule& rule, const Stack& stack, const ConditionValues& values)
      : rule_(rule), items_(stack.items), met_(!rule.when || is_met(*rule.when, values)) {}

  std::vector<Firing> firings() const {
    std::vector<Firing> found;
    if (!met_ || rule_.kind == RuleKind::commutes) return found;
    if (rule_.kind == RuleKind::order || rule_.kind == RuleKind::clash) {
      for (std::size_t i = 0; i < items_.size(); ++i)
        for (std::size_t j = i + 1; j < items_.size(); ++j)
          if (about(i, j) && !any_of(rule_.unless, 0, j)) add(i, j, found);
      return found;
    }
    if (rule_.one.any_of.empty()) return {Firing{}};
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (!matches(rule_.one, items_[i])) continue;
      if (rule_.kind == RuleKind::needs && has_partner(i)) continue;
      if (rule_.kind == RuleKind::effect && !rule_.other.any_of.empty() && !has_partner(i)) continue;
      found.push_back({{i}});
    }
    return found;
  }

  std::vector<Demand> demands() const {
    std::vector<Demand> found;
    if (!met_ || rule_.kind != RuleKind::order) return found;
    for (std::size_t i = 0; i < items_.size(); ++i)
      for (std::size_t j = 0; j < items_.size(); ++j)
        if (i != j && plays(i, j) && something_could_stand_between(i, j)) found.push_back({.before = j, .after = i});
    return found;
  }

  std::vector<CommutingPair> commuting_pairs() const {
    std::vector<CommutingPair> found;
    if (!met_ || rule_.kind != RuleKind::commutes) return found;
    for (std::size_t i = 0; i < items_.size(); ++i)
      for (std::size_t j = i + 1; j < items_.size(); ++j)
        if (plays(i, j) || plays(j, i)) found.push_back({i, j});
    return found;
  }

 private:
  bool plays(std::size_t one, std::size_t other) const {
    return matches(rule_.one, items_[one]) && matches(rule_.other, items_[other]) &&
           related(scope_of(items_[one]), scope_of(items_[other]), rule_.scopes);
  }
  bool about(std::size_t i, std::size_t j) const { return plays(i, j) || (rule_.kind == RuleKind::clash && plays(j, i)); }
  bool any_of(const Pattern& pattern, std::size_t begin, std::size_t end) const {
    return std::any_of(items_.begin() + begin, items_.begin() + end, [&](const Item& item) { return matches(pattern, item); });
  }
  bool has_partner(std::size_t i) const {
    for (std::size_t j = 0; j < items_.size(); ++j)
      if (j != i && plays(i, j)) return true;
    return false;
  }
  bool something_could_stand_between(std::size_t i, std::size_t j) const {
    if (rule_.between.any_of.empty()) return true;
    for (std::size_t k = 0; k < items_.size(); ++k)
      if (k != i && k != j && matches(rule_.between, items_[k])) return true;
    return false;
  }
  void add(std::size_t i, std::size_t j, std::vector<Firing>& found) const {
    if (rule_.between.any_of.empty()) return found.push_back({{i, j}});
    for (std::size_t k = i + 1; k < j; ++k)
      if (matches(rule_.between, items_[k])) return found.push_back({{i, k, j}});
  }

  const Rule& rule_;
  const std::vector<Item>& items_;
  bool met_;
};

// Any items at all, any of them more than once: what the pages say of nonsense has to agree too.
Stack drawn(std::mt19937_64& random) {
  const auto below = [&](std::size_t bound) { return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random); };
  Stack stack;
  for (std::size_t left = below(10); left > 0; --left) {
    const TransformInfo& info = transforms()[below(transforms().size())];
    Item item{.name = info.name};
    if (info.value == ValueForm::degree) item.degrees = {{static_cast<int>(1 + below(4))}};
    if (info.value == ValueForm::degree_pair) item.degrees = {{static_cast<int>(1 + below(4))}, {2}};
    if (!info.modes.empty()) item.mode = info.modes[below(info.modes.size())];
    for (const OptionInfo& option : info.options)
      if (below(3) == 0)
        item.options.push_back({option.name, option.form == OptionForm::flag ? ""
                                             : option.words.empty()          ? std::to_string(1 + below(4))
                                                                             : option.words[below(option.words.size())]});
    if (below(3) == 0) item.scope = static_cast<Scope>(below(4));
    stack.items.push_back(std::move(item));
  }
  return stack;
}

// Witnesses with a neighbour moved or an item left out, which fire far more pages than chance does.
Stack near_a_page(std::mt19937_64& random) {
  const auto below = [&](std::size_t bound) { return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random); };
  Stack stack = pages()[below(pages().size())].witness.bad;
  const Stack more = pages()[below(pages().size())].witness.bad;
  stack.items.insert(stack.items.end(), more.items.begin(), more.items.end());
  std::ranges::shuffle(stack.items, random);
  if (!stack.items.empty() && below(2) == 0)
    stack.items.erase(stack.items.begin() + static_cast<long>(below(stack.items.size())));
  return stack;
}

TEST(Catalogue, SaysOfAnyStackWhatItsPagesSay) {
  const Catalogue catalogue(pages());
  std::mt19937_64 random(1554);
  std::size_t fired = 0;
  for (int round = 0; round < 4000; ++round) {
    const Stack stack = round % 2 == 0 ? drawn(random) : near_a_page(random);
    Job job(round % 3 == 0 ? std::optional<int>(8) : std::nullopt);
    if (round % 5 == 0) job.sizes = {{"heads", 6}, {"tied", 1}};  // the others are not known
    const ConditionValues of_job = values_of(job), values = condition_values(stack, job);
    StackMatch match(catalogue, stack, of_job);
    for (std::size_t page = 0; page < pages().size(); ++page) {
      const PlainReading plain(pages()[page], stack, values);
      const std::vector<Firing> firings = plain.firings();
      ASSERT_EQ(has(match.fired(), page), !firings.empty()) << pages()[page].id << " on " << print(stack);
      ASSERT_EQ(match.firings(page), firings) << pages()[page].id << " on " << print(stack);
      ASSERT_EQ(match.demands(page), plain.demands()) << pages()[page].id << " on " << print(stack);
      ASSERT_EQ(match.commuting_pairs(page), plain.commuting_pairs()) << pages()[page].id << " on " << print(stack);
      fired += firings.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(fired, 4000u) << "stacks on which nothing fires would agree in any case";
}

// The values that are added up item by item are those of the mesh.
TEST(Catalogue, CountsRanksAsTheMeshDoes) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 1000; ++round) {
    const Stack stack = drawn(random);
    EXPECT_EQ(condition_values(stack).at("world"), world_size(mesh_of(stack))) << print(stack);
    EXPECT_EQ(condition_values(stack).at("dp"), degree_of(mesh_of(stack), "dp_replicate+dp_shard")) << print(stack);
  }
}

}  // namespace
}  // namespace ordercheck
