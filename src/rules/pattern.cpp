#include "rules/pattern.h"

#include <algorithm>
#include <array>
#include <cassert>

#include <fmt/format.h>

#include "base/text.h"
#include "stack/item_parser.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

Error unknown(std::string_view what, std::string_view word, std::string_view of, const std::vector<std::string>& known) {
  std::string message = fmt::format("unknown {} '{}'{}{}", what, one_line(word), of.empty() ? "" : " of ", of);
  if (known.empty()) return Error{fmt::format("{}: it has none", message)};
  return Error{fmt::format("{}; {}", message, did_you_mean(word, known))};
}

// Reads "option", "option=value" or "!option".
Status read_option(std::string_view written, const TransformInfo& info, ItemPattern& pattern) {
  const bool absent = written.starts_with('!');
  const std::string_view body = written.substr(absent ? 1 : 0);
  const std::size_t equals = body.find('=');
  const std::string name(body.substr(0, equals));
  if (find_option(info, name) == nullptr) return unknown("option", name, info.name, names_in(info.options));
  if (equals == body.npos) {
    (absent ? pattern.without : pattern.options).push_back({name, ""});
    return Done{};
  }
  // Parse the value as in a stack, so that a pattern cannot require what no stack can have.
  const std::string item = fmt::format("{}:{}", info.name, body);
  if (const Result<Item> parsed = parse_item(item, {0, item.size()}); !parsed)
    return Error{split(parsed.error().message, '\n').front()};
  (absent ? pattern.without : pattern.options).push_back({name, std::string(body.substr(equals + 1))});
  return Done{};
}

Result<ItemPattern> parse_alternative(std::string_view text) {
  ItemPattern pattern;
  std::string_view rest = trim(text);
  if (const std::size_t at = rest.find('@'); at != rest.npos) {
    const std::string_view word = rest.substr(at + 1);
    const auto scope = find_named<Scope>(word);
    if (!scope) return unknown("scope", word, "", all_names<Scope>());
    pattern.scope = *scope;
    rest = rest.substr(0, at);
  }
  const std::vector<std::string> parts = split(rest, ':');
  const std::size_t equals = parts.front().find('=');
  const bool negated = equals != std::string::npos && equals > 0 && parts.front()[equals - 1] == '!';
  pattern.name = parts.front().substr(0, negated ? equals - 1 : equals);
  const TransformInfo* info = find_transform(pattern.name);
  if (info == nullptr) return unknown("transform", pattern.name, "", names_in(transforms()));
  if (equals != std::string::npos) {
    std::string& mode = negated ? pattern.other_than : pattern.mode;
    mode = parts.front().substr(equals + 1);
    if (!contains(info->modes, mode)) return unknown("mode", mode, info->name, info->modes);
  }
  for (std::size_t i = 1; i < parts.size(); ++i)
    if (const Status read = read_option(parts[i], *info, pattern); !read) return read.error();
  return pattern;
}

std::string print_option(const Option& option) {
  return option.value.empty() ? option.name : fmt::format("{}={}", option.name, option.value);
}

// Whether `outer` contains `inner` or equals it.
bool within(Scope inner, Scope outer) {
  if (inner == outer || outer == Scope::model) return true;
  return outer == Scope::block && inner != Scope::model;
}

}  // namespace

Result<Pattern> parse_pattern(std::string_view text) {
  Pattern pattern;
  for (const std::string& alternative : split(text, '|')) {
    Result<ItemPattern> parsed = parse_alternative(alternative);
    if (!parsed) return parsed.error();
    pattern.any_of.push_back(std::move(parsed).value());
  }
  return pattern;
}

std::string print(const Pattern& pattern) {
  std::vector<std::string> alternatives;
  for (const ItemPattern& one : pattern.any_of) {
    std::string text = one.name;
    if (!one.mode.empty()) text += "=" + one.mode;
    if (!one.other_than.empty()) text += "!=" + one.other_than;
    for (const Option& option : one.options) text += ":" + print_option(option);
    for (const Option& absent : one.without) text += ":!" + print_option(absent);
    if (one.scope) text += fmt::format("@{}", name_of(*one.scope));
    alternatives.push_back(std::move(text));
  }
  return join(alternatives, "|");
}

namespace {

// Whether `list` has all of `some`, in their order.
bool come_in_order(const std::vector<std::string>& some, const std::vector<std::string>& list) {
  auto next = some.begin();
  for (const std::string& one : list)
    if (next != some.end() && *next == one) ++next;
  return next == some.end();
}

}  // namespace

bool matches(const ItemPattern& pattern, const Item& item) {
  if (pattern.name != item.name) return false;
  if (!pattern.mode.empty() && pattern.mode != item.mode) return false;
  if (!pattern.other_than.empty() && pattern.other_than == item.mode) return false;
  if (pattern.scope && *pattern.scope != scope_of(item)) return false;
  const auto carried = [&](const Option& wanted) {
    const auto value = option_of(item, wanted.name);
    if (!value || wanted.value.empty()) return value.has_value();
    const bool is_list = find_option(info_of(item), wanted.name)->form == OptionForm::list;
    return is_list ? come_in_order(split(wanted.value, '+'), split(*value, '+')) : wanted.value == *value;
  };
  const auto absent = [&](const Option& unwanted) { return !carried(unwanted); };
  return std::ranges::all_of(pattern.options, carried) && std::ranges::all_of(pattern.without, absent);
}

bool matches(const Pattern& pattern, const Item& item) {
  return std::ranges::any_of(pattern.any_of, [&](const ItemPattern& one) { return matches(one, item); });
}

Item example_of(const Pattern& pattern) {
  assert(!pattern.any_of.empty() && "a pattern has an alternative");
  const ItemPattern& plainest = pattern.any_of.front();
  return {.name = plainest.name,
          .degrees = {},
          .mode = plainest.mode,
          .options = plainest.options,
          .scope = plainest.scope,
          .origin = {}};
}

bool related(Scope first, Scope second, ScopeRelation relation) {
  switch (relation) {
    case ScopeRelation::same: return within(first, second) || within(second, first);
    case ScopeRelation::equal: return first == second;
    case ScopeRelation::inside: return first != second && within(first, second);
    case ScopeRelation::outside: return first != second && within(second, first);
  }
  assert(false && "a scope relation is one of four");
  return false;
}

}  // namespace ordercheck
