#include "rules/rule_selection.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"

namespace ordercheck {
namespace {

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// "ORD" of "ORD-004".
std::string family_of(const std::string& id) { return id.substr(0, id.find('-')); }

Error unknown_prefix(const char* option, const std::string& word, const std::vector<Rule>& rules) {
  std::vector<std::string> families;
  for (const Rule& rule : rules)
    if (const std::string family = family_of(rule.id); !contains(families, family)) families.push_back(family);
  std::ranges::sort(families);
  std::vector<std::string> known = families;
  for (const Rule& rule : rules) known.push_back(rule.id);
  const auto near = nearest(upper(word), known);
  return Error{fmt::format("{} {}: no rule has an id that begins so; {}", option, one_line(word),
                           near ? fmt::format("did you mean '{}'?", *near)
                                : fmt::format("ids begin with {}; `ordercheck rules` lists them", join(families, ", ")))};
}

Result<std::vector<std::string>> words_of(const char* option, const std::vector<std::string>& written,
                                          const std::vector<Rule>& rules) {
  std::vector<std::string> words;
  for (const std::string& list : written)
    for (const std::string& part : split(list, ',')) {
      const std::string word(trim(part));
      if (word.empty())
        return Error{
            fmt::format("{} '{}': expected ids or prefixes of ids joined by commas, such as ORD,CLA-017, got an empty one",
                        option, one_line(list))};
      if (std::ranges::none_of(rules, [&](const Rule& rule) { return rule.id.starts_with(word); }))
        return unknown_prefix(option, word, rules);
      words.push_back(word);
    }
  return words;
}

// The length of the longest of the prefixes that the id begins with; nullopt if it begins with none.
std::optional<std::size_t> longest_match(const std::vector<std::string>& prefixes, std::string_view id) {
  std::optional<std::size_t> longest;
  for (const std::string& prefix : prefixes)
    if (id.starts_with(prefix)) longest = std::max(longest.value_or(0), prefix.size());
  return longest;
}

}  // namespace

Result<RuleSelection> RuleSelection::parse(const std::vector<std::string>& select, const std::vector<std::string>& ignore,
                                           const std::vector<Rule>& rules) {
  auto selected = words_of("--select", select, rules), ignored = words_of("--ignore", ignore, rules);
  if (!selected) return selected.error();
  if (!ignored) return ignored.error();
  RuleSelection made;
  made.select_ = std::move(selected).value();
  made.ignore_ = std::move(ignored).value();
  if (!made.select_.empty()) made.written_ = "--select " + join(made.select_, ",");
  if (!made.ignore_.empty()) made.written_ += (made.written_.empty() ? "--ignore " : " --ignore ") + join(made.ignore_, ",");
  if (std::ranges::none_of(rules, [&](const Rule& rule) { return made.has(rule.id); }))
    return Error{fmt::format("{}: no rule is left to ask; ignore fewer than you select", made.written_)};
  return made;
}

bool RuleSelection::has(std::string_view id) const {
  const auto selected = select_.empty() ? std::optional<std::size_t>(0) : longest_match(select_, id);
  const auto ignored = longest_match(ignore_, id);
  return selected && (!ignored || *ignored < *selected);
}

}  // namespace ordercheck
