#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "base/wording.h"
#include "cli/explain/explain.h"
#include "rules/glossary.h"
#include "stack/notation.h"

namespace ordercheck::cli {
namespace {

std::string term_row(const char* label, const std::string& text) { return labelled(2, label, 8, text); }

std::string pages_naming(const std::string& transform, const std::vector<Rule>& rules) {
  std::vector<std::string> ids;
  for (const Rule& rule : rules)
    if (names(rule, transform)) ids.push_back(rule.id);
  return join(ids, ", ");
}

std::string what_of_numbers(const TransformInfo& info) {
  if (info.between) return "; between transforms, and in the single-rank reference too";
  return info.kind == TransformKind::numeric ? "; changes numbers" : "; owes the same numbers";
}

std::string facts_of(const TransformInfo& info, const std::vector<Rule>& rules) {
  std::vector<std::string> options;
  for (const OptionInfo& option : info.options) options.push_back(option.name);
  return term_row("is", info.title + what_of_numbers(info)) +
         term_row("written", syntax_of(info) + ", nested " + info.nested + "(model)") +
         term_row("scope", fmt::format("{}, unless written: @model, @block, @experts, @attention", name_of(info.scope))) +
         term_row("axes", info.axes.empty() ? "none" : join(info.axes, ", ")) + term_row("options", join(options, ", ")) +
         term_row("rules", pages_naming(info.name, rules));
}

std::string facts_of_option(const std::string& name) {
  std::string text;
  for (const TransformInfo& info : transforms())
    if (const OptionInfo* option = find_option(info, name)) text += term_row("written", info.name + ":" + syntax_of(*option));
  return text;
}

std::string facts_of_mode(const std::string& name) {
  std::string text;
  for (const TransformInfo& info : transforms())
    if (contains(info.modes, name)) text += term_row("written", info.name + "=" + name);
  return text;
}

std::string facts_of(const FoundTerm& found, const std::vector<Rule>& rules) {
  const std::string& name = found.term->name;
  if (found.group->name == "options") return facts_of_option(name);
  if (found.group->name == "modes") return facts_of_mode(name);
  const TransformInfo* info = found.group->name == "transforms" ? find_transform(name) : nullptr;
  return info == nullptr ? "" : facts_of(*info, rules);
}

// Joins words with commas and wraps at the page width.
std::string wrapped(const std::vector<std::string>& words) {
  constexpr std::size_t kWidth = 100;
  std::string text, line = " ";
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word = words[i] + (i + 1 < words.size() ? "," : "");
    if (line.size() + 1 + word.size() > kWidth) {
      text += line + "\n";
      line = " ";
    }
    line += " " + word;
  }
  return text + line + "\n";
}

}  // namespace

std::string explain_terms(const std::string& word, const Knowledge& knowledge) {
  std::string text;
  for (const FoundTerm& found : find_terms(glossary(), word)) {
    const std::string group = found.group->title.substr(0, found.group->title.find(':'));
    text += fmt::format("{}{}  ({})\n  {}\n", text.empty() ? "" : "\n", found.term->name, group, found.term->meaning);
    text += facts_of(found, knowledge.rules) + term_row("see", join(found.term->see, ", "));
  }
  return text;
}

std::string list_terms() {
  std::string text;
  for (const TermGroup& group : glossary()) {
    std::vector<std::string> names;
    for (const Term& term : group.terms) names.push_back(term.name);
    text += fmt::format("{}\n{}", group.title, wrapped(names));
  }
  return text + "ordercheck explain TERM explains one; ordercheck rules lists the rules.\n";
}

}  // namespace ordercheck::cli
