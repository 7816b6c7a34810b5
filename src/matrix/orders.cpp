#include "matrix/orders.h"

#include <algorithm>
#include <cassert>
#include <functional>

#include "matrix/plan_result.h"
#include "rules/match.h"
#include "stack/mesh.h"
#include "stack/notation.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

const TransformInfo& info_of(const std::string& name) {
  const TransformInfo* info = find_transform(name);
  assert(info && "a space names only transforms of the catalogue");
  return *info;
}

// Enumerates all ways to write `product` as `count` ordered factors of at least 2.
void factorise(int product, std::size_t count, std::vector<int>& factors,
               const std::function<void(const std::vector<int>&)>& found) {
  if (factors.size() == count) {
    if (product == 1) found(factors);
    return;
  }
  for (int factor = 2; factor <= product; ++factor) {
    if (product % factor != 0) continue;
    factors.push_back(factor);
    factorise(product / factor, count, factors, found);
    factors.pop_back();
  }
}

Stack with_factors(Stack stack, const std::vector<int>& factors) {
  auto next = factors.begin();
  for (Item& item : stack.items)
    for (std::size_t axis = 0; axis < info_of(item.name).axes.size(); ++axis) item.degrees.push_back(Degree{*next++});
  return stack;
}

void add_permutations(Stack stack, std::vector<Stack>& into) {
  std::vector<std::size_t> order(stack.items.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  do {
    Stack permuted;
    for (auto i : order) permuted.items.push_back(stack.items[i]);
    into.push_back(std::move(permuted));
  } while (std::ranges::next_permutation(order).found);
}

void add_orders(const Stack& items, int ranks, std::vector<Stack>& into) {
  std::size_t axes = 0;
  for (const Item& item : items.items) axes += info_of(item.name).axes.size();
  std::vector<int> factors;
  factorise(ranks, axes, factors, [&](const std::vector<int>& found) { add_permutations(with_factors(items, found), into); });
}

}  // namespace

std::vector<Stack> orders(const std::vector<std::string>& names, int ranks) {
  assert(names.size() < 16 && "every subset is enumerated");
  std::vector<Stack> stacks;
  // Each bit of `chosen` selects one name.
  for (std::size_t chosen = 0; chosen < std::size_t{1} << names.size(); ++chosen) {
    Stack subset;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!(chosen >> i & 1)) continue;
      Item item;
      item.name = names[i];
      subset.items.push_back(item);
    }
    add_orders(subset, ranks, stacks);
  }
  std::ranges::sort(stacks, {}, [](const Stack& stack) { return print(stack); });
  return stacks;
}

std::vector<Stack> orders_of_set(const Stack& items, int ranks) {
  std::vector<Stack> stacks;
  add_orders(items, ranks, stacks);
  std::ranges::sort(stacks, {}, [](const Stack& stack) { return print(stack); });
  return stacks;
}

std::vector<Stack> permutations_of(const Stack& stack) {
  std::vector<Stack> stacks;
  add_permutations(stack, stacks);
  std::ranges::sort(stacks, {}, [](const Stack& permuted) { return print(permuted); });
  // Equal items give equal permutations.
  const auto repeated = std::ranges::unique(stacks);
  stacks.erase(repeated.begin(), repeated.end());
  return stacks;
}

std::vector<Stack> at_every_position(const Stack& stack, const Item& item) {
  std::vector<Stack> stacks;
  for (std::size_t at = 0; at <= stack.items.size(); ++at) {
    Stack longer = stack;
    longer.items.insert(longer.items.begin() + static_cast<std::ptrdiff_t>(at), item);
    stacks.push_back(std::move(longer));
  }
  return stacks;
}

Stack with_degrees(Stack stack) {
  for (Item& item : stack.items) {
    if (!item.degrees.empty()) continue;
    item.degrees.assign(info_of(item.name).axes.size(), kMissingDegree);
  }
  return stack;
}

namespace {

std::vector<Rule> at_their_word(std::vector<Rule> rules) {
  for (Rule& rule : rules)
    for (Citation& citation : rule.citations) citation.says = Stance::supports;
  return rules;
}

Target given_version(Target target) {
  // A hello without a parsable version must still give the judge one.
  if (!target.version) target.version = Version{};
  return target;
}

}  // namespace

PagesAlone::PagesAlone(const std::vector<Rule>& rules, const Hello& hello)
    : rules_(at_their_word(rules)), no_runs_(), judge_(rules_, given_version(target_of(hello)), no_runs_) {}

bool PagesAlone::has_error(const Stack& stack) const {
  StackMatch match = judge_.match(stack, MissingDegrees::as_run);
  const std::vector<std::size_t> fired = match.fired();
  return std::ranges::any_of(fired, [&](std::size_t page) { return judge_.severity(rules_[page]) == Severity::error; });
}

}  // namespace ordercheck
