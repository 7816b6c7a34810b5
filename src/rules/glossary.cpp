#include "rules/glossary.h"

#include <algorithm>
#include <cassert>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "base/toml.h"

namespace ordercheck {
namespace {

struct GlossaryText {
  const char* name;
  const char* text;
};
constexpr GlossaryText kTexts[] = {
#include "rules/glossary_texts.inc"
};

Term term_of(TomlTable& table) {
  Term term{.name = table.text("name"),
            .also = table.texts_if_given("also"),
            .meaning = table.text("meaning"),
            .see = table.texts_if_given("see")};
  for (TomlTable& edit : table.tables_if_given("edit")) {
    term.edits.push_back(
        {.of = edit.text_if_given("of"), .value = edit.text_if_given("value"), .sentence = edit.text(kEditsKey)});
    table.adopt(edit);
  }
  return term;
}

bool is_spelt(const Term& term, const std::string& word) {
  return lower(term.name) == word || std::ranges::any_of(term.also, [&](const std::string& one) { return lower(one) == word; });
}

}  // namespace

Result<TermGroup> parse_glossary(std::string_view text, std::string_view path) {
  TomlTable file(text, std::string(path));
  const std::size_t stem = path.rfind('/') + 1;
  TermGroup group{.name = std::string(path.substr(stem, path.rfind('.') - stem)), .title = file.text("title"), .terms = {}};
  std::set<std::string> names;
  for (TomlTable& table : file.tables_if_given("term")) {
    group.terms.push_back(term_of(table));
    if (!names.insert(group.terms.back().name).second)
      table.refuse("name", fmt::format("duplicate '{}' in this group", group.terms.back().name));
    file.adopt(table);
  }
  if (group.terms.empty()) file.refuse("term", "no [[term]] in the file");
  if (const auto error = file.error()) return *error;
  return group;
}

const std::vector<TermGroup>& glossary() {
  static const std::vector<TermGroup> groups = [] {
    std::vector<TermGroup> made;
    for (const GlossaryText& one : kTexts) {
      Result<TermGroup> group = parse_glossary(one.text, fmt::format("glossary/{}.toml", one.name));
      assert(group && "tests/form/glossary_test.cpp reads every file of the glossary");
      if (group) made.push_back(std::move(group).value());
    }
    return made;
  }();
  return groups;
}

std::vector<FoundTerm> find_terms(const std::vector<TermGroup>& groups, std::string_view word) {
  std::vector<FoundTerm> found;
  for (const TermGroup& group : groups)
    for (const Term& term : group.terms)
      if (is_spelt(term, lower(word))) found.push_back({&group, &term});
  return found;
}

std::vector<std::string> known_words(const std::vector<TermGroup>& groups) {
  std::set<std::string> words;
  for (const TermGroup& group : groups)
    for (const Term& term : group.terms) {
      words.insert(term.name);
      words.insert(term.also.begin(), term.also.end());
    }
  return {words.begin(), words.end()};
}

}  // namespace ordercheck
