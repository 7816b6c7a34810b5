// RapidCheck generators of everything that a stack's notation can say.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "stack/notation.h"
#include "stack/transforms.h"

namespace ordercheck {

inline void showValue(const Stack& stack, std::ostream& out) { out << '"' << print(stack) << '"'; }

inline rc::Gen<Degree> arbitrary_degree() {
  return rc::gen::map(rc::gen::weightedOneOf<int>({{8, rc::gen::inRange(1, 9)}, {1, rc::gen::inRange(1, 1'000'001)}}),
                      [](int value) { return Degree{value}; });
}

inline std::string any_option_value(const OptionInfo& option) {
  switch (option.form) {
    case OptionForm::flag: return "";
    case OptionForm::count: return std::to_string(*rc::gen::inRange(1, 1'000'001));
    case OptionForm::number: return *rc::gen::element<std::string>("0", "1", "0.1", "3e-4", "1e-08", "12.50");
    case OptionForm::word: break;
    case OptionForm::list:
      return join(*rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(
                      rc::gen::elementOf(option.words.empty() ? std::vector<std::string>{"layers.0", "norm"} : option.words))),
                  "+");
  }
  if (!option.words.empty()) return *rc::gen::elementOf(option.words);
  const std::string letters = "abcdefghijklmnopqrstuvwxyz0123456789_.+-";
  return *rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(letters)));
}

inline rc::Gen<Item> arbitrary_item() {
  return rc::gen::exec([] {
    const TransformInfo& info = *rc::gen::elementOf(transforms());
    Item item{.name = info.name};
    if (*rc::gen::arbitrary<bool>()) {
      if (info.value == ValueForm::degree) item.degrees = {*arbitrary_degree()};
      if (info.value == ValueForm::degree_pair) item.degrees = {*arbitrary_degree(), *arbitrary_degree()};
      if (info.value == ValueForm::mode) item.mode = *rc::gen::elementOf(info.modes);
    }
    std::vector<std::string> groups;
    for (std::size_t turn = 0; turn < info.options.size(); ++turn) {
      const OptionInfo& option = *rc::gen::elementOf(info.options);
      const bool group_taken = !option.group.empty() && std::ranges::find(groups, option.group) != groups.end();
      if (option_of(item, option.name) || group_taken) continue;
      groups.push_back(option.group);
      item.options.push_back({option.name, any_option_value(option)});
    }
    if (*rc::gen::arbitrary<bool>())
      item.scope = *rc::gen::element(Scope::model, Scope::block, Scope::experts, Scope::attention);
    if (item.scope == info.scope) item.scope.reset();  // as a parse leaves the default out
    return item;
  });
}

inline rc::Gen<Stack> arbitrary_stack() {
  return rc::gen::map(rc::gen::container<std::vector<Item>>(arbitrary_item()), [](std::vector<Item> items) {
    if (items.size() > kMostItems) items.erase(items.begin() + kMostItems, items.end());
    return Stack{std::move(items)};
  });
}

}  // namespace ordercheck
