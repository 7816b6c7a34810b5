#include "importer/fixed_order.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/toml.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

struct OrderText {
  const char* name;
  const char* text;
};
constexpr OrderText kOrderTexts[] = {
#include "importer/order_texts.inc"
};

std::vector<FixedOrder> all_orders() {
  std::vector<FixedOrder> orders;
  for (const OrderText& one : kOrderTexts) {
    toml::table file;
    [[maybe_unused]] const auto mistake = parse_toml(one.text, file);
    assert(!mistake && "a file of this repository");
    const auto order = parse_stack(file["order"].value_or(""));
    assert(order && "a file of this repository");
    const std::string release = file["release"].value_or("");
    std::string source = file["source"].value_or("");
    // It begins with a tag of the project then: "v0.2.2, models/...".
    if (!release.empty()) source = fmt::format("{} {}", file["project"].value_or(""), source);
    if (const auto* date = file["date"].as_string()) source += fmt::format(" ({})", date->get());
    const std::string_view name = one.name;
    orders.push_back({.name = std::string(name.substr(name.rfind('/') + 1)),
                      .order = *order,
                      .release = release,
                      .source = std::move(source)});
  }
  return orders;
}

// Whose place a transform takes in an order that does not name it.
const std::vector<std::string>& stand_ins(const std::string& name) {
  static const std::map<std::string, std::vector<std::string>> all{{"fsdp", {"ddp"}},
                                                                   {"hsdp", {"fsdp", "ddp"}},
                                                                   {"sac", {"ac"}},
                                                                   {"ddp", {"fsdp"}},
                                                                   {"replicate", {"ddp", "fsdp"}},
                                                                   {"simple_hsdp", {"simple_fsdp"}},
                                                                   {"simple_replicate", {"simple_fsdp"}}};
  static const std::vector<std::string> none;
  const auto found = all.find(name);
  return found == all.end() ? none : found->second;
}

std::size_t place_in(const Stack& order, const std::string& name) {
  std::vector<std::string> names{name};
  names.insert(names.end(), stand_ins(name).begin(), stand_ins(name).end());
  for (const std::string& one : names)
    if (const auto found = std::ranges::find(order.items, one, &Item::name); found != order.items.end())
      return static_cast<std::size_t>(found - order.items.begin());
  return order.items.size();
}

// It takes the parameters that all others have left.
bool comes_last(const Item& item) { return item.name == "optimizer"; }

}  // namespace

const FixedOrder& fixed_order(std::string_view name) {
  static const std::vector<FixedOrder> orders = all_orders();
  const auto found = std::ranges::find(orders, name, &FixedOrder::name);
  assert(found != orders.end() && "a file of matrix/frameworks that src/CMakeLists.txt embeds");
  return *found;
}

std::vector<Item> put_in_order(Stack& stack, const Stack& order) {
  std::ranges::stable_sort(stack.items, {},
                           [&](const Item& item) { return std::pair(comes_last(item), place_in(order, item.name)); });
  std::vector<Item> without_place;
  for (const Item& item : stack.items)
    if (place_in(order, item.name) == order.items.size() && !comes_last(item)) without_place.push_back(item);
  return without_place;
}

}  // namespace ordercheck
