#include "check/conditions.h"

#include <algorithm>
#include <cassert>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

std::string scope_in_words(Scope scope) {
  switch (scope) {
    case Scope::model: return " of the whole model";
    case Scope::block: return " of blocks";
    case Scope::experts: return " of experts";
    case Scope::attention: return " of attention";
  }
  assert(false && "a scope is one of four");
  return "";
}

std::string in_words(const ItemPattern& pattern) {
  std::string text = pattern.name;
  if (!pattern.mode.empty()) text += "=" + pattern.mode;
  for (const Option& option : pattern.options)
    text += option.value.empty() ? ":" + option.name : fmt::format(":{}={}", option.name, option.value);
  if (pattern.scope) text += scope_in_words(*pattern.scope);
  if (!pattern.other_than.empty()) text += fmt::format(" (no ={})", pattern.other_than);
  const TransformInfo& info = *find_transform(pattern.name);  // a pattern that was parsed has one
  for (const Option& without : pattern.without) {
    const std::string written = without.value.empty() ? without.name : fmt::format("{}={}", without.name, without.value);
    const std::string& absent = find_option(info, without.name)->absent;
    text += absent.empty() ? fmt::format(" without :{}", written) : fmt::format(" {} (no :{})", absent, written);
  }
  return text;
}

// Parts between `sign` that stand in no brackets.
std::vector<std::string> parts_between(std::string_view text, std::string_view sign) {
  std::vector<std::string> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (depth != 0 || text.substr(at, sign.size()) != sign) continue;
    parts.emplace_back(trim(text.substr(begin, at - begin)));
    begin = at + sign.size();
  }
  parts.emplace_back(trim(text.substr(begin)));
  return parts;
}

// Without the brackets around the whole.
std::string unwrapped(const std::string& text) {
  if (!text.starts_with('(') || !text.ends_with(')')) return text;
  int depth = 0;
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (depth == 0) return text;
  }
  return text.substr(1, text.size() - 2);
}

// "tp > 1", where one of the items says so by its degrees or by being there.
bool is_said_by(const std::string& comparison, const std::vector<Item>& items) {
  return std::ranges::any_of(items, [&](const Item& item) {
    const auto sizes = [&](const std::string& axis) { return comparison == axis + " > 1"; };
    return comparison == item.name + " > 1" || comparison == item.name + " > 0" ||
           std::ranges::any_of(info_of(item).axes, sizes);
  });
}

std::string comparison_in_words(const std::string& text) {
  for (const auto& [sign, words] : {std::pair(" != 0", "is no multiple of"), std::pair(" == 0", "is a multiple of")}) {
    if (!text.ends_with(sign)) continue;
    const std::vector<std::string> sides =
        parts_between(std::string_view(text).substr(0, text.size() - std::string_view(sign).size()), "%");
    if (sides.size() == 2) return fmt::format("{} {} {}", unwrapped(sides[0]), words, unwrapped(sides[1]));
  }
  if (text == "clip_alone > 0") return "clip_grad_norm_ clips";
  for (const char* name : {"ac", "sac", "compile"})
    if (text == fmt::format("{} > 0", name)) return fmt::format("{} is applied too", name);
  return text;
}

}  // namespace

std::string in_words(const Pattern& pattern, const Item& item) {
  const auto meant = std::ranges::find_if(pattern.any_of, [&](const ItemPattern& one) { return matches(one, item); });
  assert(meant != pattern.any_of.end() && "a page fires on what its pattern matches");
  return in_words(*meant);
}

std::string any_in_words(const Pattern& pattern) {
  std::vector<std::string> words;
  for (const ItemPattern& one : pattern.any_of) words.push_back(in_words(one));
  if (words.size() < 2) return join(words, "");
  const std::string last = words.back();
  words.pop_back();
  return fmt::format("{} or {}", join(words, ", "), last);
}

std::string condition_in_words(const Rule& rule, const std::vector<Item>& fired) {
  if (!rule.when) return "";
  std::vector<std::string> all;
  const std::vector<std::string> conjuncts = parts_between(rule.when->text, "&&");
  for (const std::string& conjunct : conjuncts) {
    const std::vector<std::string> any = parts_between(unwrapped(conjunct), "||");
    if (std::ranges::any_of(any, [&](const std::string& one) { return is_said_by(one, fired); })) continue;
    std::vector<std::string> words;
    for (const std::string& one : any) words.push_back(comparison_in_words(one));
    all.push_back(join(words, " or "));
  }
  return join(all, " and ");
}

}  // namespace ordercheck
