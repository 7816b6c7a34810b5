#include "rule/glossary.h"

#include <algorithm>
#include <cassert>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "rule/fields.h"

namespace ordercheck {
namespace {

struct GlossaryText {
  const char* name;
  const char* text;
};
constexpr GlossaryText kTexts[] = {
#include "rule/glossary_texts.inc"
};

std::string lower(std::string_view text) {
  std::string made(text);
  std::ranges::transform(made, made.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return made;
}

std::vector<std::string> texts_if_given(Fields& fields, const std::string& key) {
  return fields.has(key) ? fields.texts(key) : std::vector<std::string>{};
}

Term term_of(const toml::table& table, PageErrors& errors) {
  Fields fields(table, "[[term]]", {"name", "also", "meaning", "see"}, errors);
  return {.name = fields.text("name"),
          .also = texts_if_given(fields, "also"),
          .meaning = fields.text("meaning"),
          .see = texts_if_given(fields, "see")};
}

bool is_spelt(const Term& term, const std::string& word) {
  return lower(term.name) == word || std::ranges::any_of(term.also, [&](const std::string& one) { return lower(one) == word; });
}

}  // namespace

Result<TermGroup> parse_glossary(std::string_view text, std::string_view path) {
  PageErrors errors{std::string(path), 1};
  toml::table head;
  try {
    head = toml::parse(text);
  } catch (const toml::parse_error& mistake) {
    errors.refuse(mistake.source().begin.line, std::string(mistake.description()));
    return *errors.first();
  }
  Fields fields(head, "the file", {"title", "term"}, errors);
  const std::size_t stem = path.rfind('/') + 1;
  TermGroup group{.name = std::string(path.substr(stem, path.rfind('.') - stem)), .title = fields.text("title"), .terms = {}};
  std::set<std::string> names;
  for (const toml::table* table : fields.tables("term")) {
    group.terms.push_back(term_of(*table, errors));
    if (!names.insert(group.terms.back().name).second)
      errors.refuse(table->source().begin.line, fmt::format("'{}' stands twice in this group", group.terms.back().name));
  }
  if (group.terms.empty()) errors.refuse(1, "no [[term]] in the file");
  if (errors.first()) return *errors.first();
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
