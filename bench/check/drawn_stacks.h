// Stacks to judge: half drawn at random, half witnesses of two pages put together, shuffled and cut, which fire far more pages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "rules/rule.h"
#include "stack/transforms.h"

namespace ordercheck::bench {

class StackDraw {
 public:
  StackDraw(std::span<const Rule> rules, std::uint64_t seed) : rules_(rules), random_(seed) {}

  std::vector<Stack> many(std::size_t count) {
    std::vector<Stack> stacks;
    while (stacks.size() < count) stacks.push_back(stacks.size() % 2 == 0 ? random_stack() : mutated_witnesses());
    return stacks;
  }

 private:
  std::size_t below(std::size_t bound) { return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_); }

  Item random_item() {
    const TransformInfo& info = transforms()[below(transforms().size())];
    Item item{.name = info.name};
    if (info.value == ValueForm::degree) item.degrees = {{2}};
    if (info.value == ValueForm::degree_pair) item.degrees = {{2}, {2}};
    if (info.value == ValueForm::mode) item.mode = info.modes[below(info.modes.size())];
    for (const OptionInfo& option : info.options)
      if (below(5) == 0 && option.form != OptionForm::number && option.group.empty())
        item.options.push_back({option.name, option.form == OptionForm::flag ? ""
                                             : option.words.empty()          ? "2"
                                                                             : option.words[below(option.words.size())]});
    return item;
  }

  Stack random_stack() {
    Stack stack;
    for (std::size_t left = 4 + below(5); left > 0; --left) stack.items.push_back(random_item());
    return stack;
  }

  Stack mutated_witnesses() {
    Stack stack = rules_[below(rules_.size())].witness.bad;
    const Stack& more = rules_[below(rules_.size())].witness.bad;
    stack.items.insert(stack.items.end(), more.items.begin(), more.items.end());
    std::ranges::shuffle(stack.items, random_);
    return stack;
  }

  std::span<const Rule> rules_;
  std::mt19937_64 random_;
};

}  // namespace ordercheck::bench
