#include "import/reading.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/displayable.h"
#include "base/text.h"
#include "base/toml.h"
#include "stack/notation.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

std::optional<bool> flag_of(const Setting& setting) {
  const std::string text = lower(setting.text);
  if (setting.form != SettingForm::flag && setting.form != SettingForm::word) return std::nullopt;
  if (text == "true") return true;
  return text == "false" ? std::optional(false) : std::nullopt;
}

}  // namespace

std::optional<long long> whole_of(const Setting& setting) {
  if (setting.form != SettingForm::whole && setting.form != SettingForm::word) return std::nullopt;
  return parse_integer(setting.text);
}

bool is_off(const Setting& setting) {
  if (setting.form == SettingForm::nothing || setting.form == SettingForm::table) return true;
  if (setting.form == SettingForm::list) return setting.elements.empty();
  const std::string text = lower(setting.text);
  for (const char* off : {"", "false", "none", "no", "off", "null", "0", "0.0"})
    if (text == off) return true;
  return false;
}

Reading::Reading(SettingList settings, const std::vector<Key>& keys, const std::vector<std::string_view>& sections)
    : settings_(std::move(settings)) {
  for (Setting& setting : settings_) {
    const auto key = std::ranges::find_if(keys, [&](const Key& one) { return glob_match(one.pattern, setting.key); });
    // A '$' remains only for a variable that has no plain value in the file.
    const bool open = setting.text.find('$') != std::string::npos;
    if (key != keys.end() && key->says != Says::nothing && open) {
      if (key->says != Says::size) refuse(setting, "a variable without a plain value in this file");
      // Hides the setting from find().
      setting.form = SettingForm::nothing;
    } else if (key != keys.end())
      apply(*key, setting);
    else if (std::ranges::any_of(sections, [&](std::string_view section) { return glob_match(section, setting.key); }))
      refuse(setting, "a key that ordercheck does not know");
  }
}

void Reading::apply(const Key& key, const Setting& setting) {
  const std::string of(key.of);
  const auto number = whole_of(setting);
  if (key.says == Says::unmet || key.says == Says::alone) {
    if (!is_off(setting) && (key.says == Says::unmet || number != 1)) refuse(setting, of);
    return;
  }
  if (key.says == Says::nothing || key.says == Says::read || setting.form == SettingForm::nothing) return;
  if (key.says == Says::item) {
    const auto on = flag_of(setting);
    if (!on)
      refuse(setting, "expected true or false");
    else if (*on)
      add(of, setting.where);
  } else if (key.says == Says::size) {
    set_size(of, setting);
  } else if (!number || *number < 1 || *number > kMostImportedRanks) {
    refuse(setting, "expected a number of ranks, 1 or more");
  } else if (key.says == Says::ranks) {
    ranks = static_cast<int>(*number);
  } else {
    degrees_[of] = {static_cast<int>(*number), setting.where};
  }
}

void Reading::set_size(const std::string& name, const Setting& setting) {
  const auto number = whole_of(setting);
  if (number && *number >= 1 && *number <= kMostImportedRanks)
    sizes_[name] = *number;
  else
    refuse(setting, "expected a number, 1 or more");
}

const Setting* Reading::find(std::string_view key) const {
  const auto found = std::ranges::find(settings_, key, &Setting::key);
  return found == settings_.end() || found->form == SettingForm::nothing ? nullptr : &*found;
}

Origin Reading::where(std::string_view key) const {
  const auto found = std::ranges::find(settings_, key, &Setting::key);
  if (found != settings_.end()) return found->where;
  return settings_.empty() ? Origin{} : Origin{settings_.front().where.file, 0};
}

std::optional<long long> Reading::whole(std::string_view key) {
  const Setting* setting = find(key);
  if (setting == nullptr) return std::nullopt;
  const auto number = whole_of(*setting);
  if (!number) refuse(*setting, "expected a whole number");
  return number;
}

std::optional<bool> Reading::flag(std::string_view key) {
  const Setting* setting = find(key);
  if (setting == nullptr) return std::nullopt;
  const auto on = flag_of(*setting);
  if (!on) refuse(*setting, "expected true or false");
  return on;
}

std::string Reading::word(std::string_view key) {
  const Setting* setting = find(key);
  if (setting == nullptr) return "";
  if (setting->form != SettingForm::list && setting->form != SettingForm::table) return setting->text;
  refuse(*setting, "expected a word");
  return "";
}

int Reading::degree(std::string_view axis) const {
  const auto found = degrees_.find(std::string(axis));
  return found == degrees_.end() ? 1 : found->second.degree;
}

Origin Reading::degree_origin(std::string_view axis) const {
  const auto found = degrees_.find(std::string(axis));
  return found == degrees_.end() ? where("") : found->second.where;
}

void Reading::set_degree(std::string_view axis, int degree, const Origin& where) {
  degrees_[std::string(axis)] = {degree, where};
}

void Reading::add(const std::string& item, const Origin& where) {
  auto parsed = parse_stack(item, where);
  assert(parsed && parsed->items.size() == 1 && "an item of the catalogue");
  if (!parsed) return;
  stack_.items.push_back(std::move(parsed->items.front()));
  stack_.items.back().origin = where;
}

void Reading::add_degree(std::string_view axis, const std::string& options) {
  if (degree(axis) > 1) add(fmt::format("{}={}{}", axis, degree(axis), options), degree_origin(axis));
  degrees_.erase(std::string(axis));
}

void Reading::add_data_parallel(int replicate, int shard, bool always, const Origin& where, const DataParallel& as) {
  const std::string end = as.sharded_options + as.scope;
  if (replicate > 1 && (always || shard > 1))
    add(shard > 0 ? fmt::format("{}={}x{}{}", as.both, replicate, shard, end) : fmt::format("{}{}", as.both, end), where);
  else if (always || shard > 1)
    add(shard > 0 ? fmt::format("{}={}{}", as.shard, shard, end) : fmt::format("{}{}", as.shard, end), where);
  else if (replicate != 1)
    add((replicate > 0 ? fmt::format("{}={}", as.replicate, replicate) : std::string(as.replicate)) + as.replicated_options,
        where);
}

void Reading::refuse(const Setting& setting, std::string why) {
  not_understood_.push_back({.text = in_words(setting), .where = setting.where, .why = std::move(why)});
}

void Reading::note(const std::string& text, const Origin& where, std::string why, NoteKind kind) {
  not_understood_.push_back({.text = one_line(displayable(text)), .where = where, .why = std::move(why), .kind = kind});
}

Imported Reading::take(std::string format, const FixedOrder& order, std::string project) {
  for (const char* axis : {"pp", "tp", "cp", "ep"}) add_degree(axis);
  for (const Item& item : put_in_order(stack_, order.order))
    note(print(item), item.origin, "the project's order does not place it; it is last here");
  std::ranges::stable_sort(not_understood_, {},
                           [](const NotUnderstood& one) { return std::pair(one.where.file, one.where.line); });
  return {.format = std::move(format),
          .part = "",
          .stack = std::move(stack_),
          .order_from = order.source,
          .sizes = std::move(sizes_),
          .ranks = ranks,
          .not_understood = std::move(not_understood_),
          .project = std::move(project)};
}

namespace {

struct OrderText {
  const char* name;
  const char* text;
};
constexpr OrderText kOrderTexts[] = {
#include "import/order_texts.inc"
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
    // Without the project's name, the source of a release would begin with a bare tag: "v0.2.2, models/...".
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

// The related transforms whose position in a project's order a transform takes if the order lacks it: for hsdp, fsdp.
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

// The optimizer takes the parameters that all other transforms produced.
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

namespace {

struct Schedule {
  std::string_view name, option;
};
constexpr std::array<Schedule, 6> kSchedules{{{"gpipe", ":gpipe"},
                                              {"1f1b", ":1f1b"},
                                              {"interleaved1f1b", ":interleaved"},
                                              {"interleavedzerobubble", ":zero_bubble"},
                                              {"zbvzerobubble", ":zbv"},
                                              {"dualpipev", ":dualpipev"}}};

}  // namespace

std::string schedule_option(std::string_view name) {
  const std::string small = lower(name);
  for (const Schedule& one : kSchedules)
    if (one.name == small) return std::string(one.option);
  return "";
}

}  // namespace ordercheck
