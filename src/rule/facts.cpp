#include "rule/facts.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "base/toml.h"

namespace ordercheck {
namespace {

constexpr std::size_t kShortestReason = 20;

// Words in small letters with '-' between: what a reader can point at.
bool is_fact_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return !name.starts_with('-') && !name.ends_with('-') && std::ranges::all_of(name, is_letter);
}

bool is_sentence(std::string_view text) {
  return text.size() >= kShortestReason && text.ends_with('.') && text.find('\n') == text.npos;
}

std::string without_fragment(std::string_view url) { return std::string(url.substr(0, url.find('#'))); }

void verify_pages(TomlTable& keys, const Fact& fact, const Pages& pages) {
  for (std::size_t i = 0; i < fact.pages.size(); ++i) {
    const auto is_it = [&](const Rule& rule) { return rule.id == fact.pages[i]; };
    if (std::ranges::any_of(pages.rules, is_it)) continue;
    if (std::ranges::any_of(pages.retired, is_it))
      keys.refuse("pages", i,
                  fmt::format("page '{}' is retired and claims nothing; give `refused` in its place", fact.pages[i]));
    else
      keys.refuse("pages", i, fmt::format("there is no page '{}'; `ordercheck rules` lists all", fact.pages[i]));
  }
}

Fact fact_of(TomlTable& keys, const Pages& pages) {
  Fact fact{.name = keys.text("name"),
            .says = keys.text("says"),
            .source = keys.url_if_given("source"),
            .date = keys.text("date"),
            .pages = keys.texts_if_given("pages"),
            .refused = keys.text_if_given("refused")};
  if (!is_fact_name(fact.name))
    keys.refuse("name", fmt::format("name = \"{}\" is none; write small letters, digits and '-'", fact.name));
  if (!is_sentence(fact.says)) keys.refuse("says", "says is one sentence on one line, which ends in '.'");
  if (fact.source.empty()) keys.refuse("source", "a fact needs its 'source', a URL");
  if (!is_date(fact.date) && fact.date != "unknown")
    keys.refuse("date", fmt::format("date = \"{}\" is none; write 2025-08-13, 2025-08, 2025 or \"unknown\"", fact.date));
  if (fact.pages.empty() == fact.refused.empty())
    keys.refuse("pages", "a fact has `pages` that claim it, or `refused` with the reason why none does: one of the two");
  if (!fact.refused.empty() && !is_sentence(fact.refused))
    keys.refuse("refused", "refused is a reason of one sentence on one line, which ends in '.'");
  verify_pages(keys, fact, pages);
  return fact;
}

}  // namespace

Result<std::vector<Fact>> parse_facts(std::string_view text, const std::string& path, const Pages& pages) {
  TomlTable keys(text, path);
  std::vector<Fact> facts;
  for (TomlTable& part : keys.tables("fact")) {
    facts.push_back(fact_of(part, pages));
    if (std::ranges::count(facts, facts.back().name, &Fact::name) > 1)
      part.refuse("name", fmt::format("the name '{}' stands twice", facts.back().name));
    keys.adopt(part);
  }
  if (auto error = keys.error()) return *error;
  return facts;
}

Result<std::vector<Fact>> load_facts(const std::filesystem::path& folder, const Pages& pages) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".toml") paths.push_back(entry.path());
  if (error) return Error{fmt::format("cannot read the folder {}: {}", folder.string(), error.message())};
  std::ranges::sort(paths);
  std::vector<Fact> facts;
  for (const auto& path : paths) {
    const auto text = read_file(path);
    if (!text) return text.error();
    const auto read = parse_facts(*text, path.string(), pages);
    if (!read) return read.error();
    for (const Fact& fact : *read) {
      if (std::ranges::count(facts, fact.name, &Fact::name) > 0)
        return Error{
            fmt::format("{}: the name '{}' stands in another file too; give one of the two another", path.string(), fact.name)};
    }
    facts.insert(facts.end(), read->begin(), read->end());
  }
  return facts;
}

bool cites_source_of(const Rule& rule, const Fact& fact) {
  const std::string source = without_fragment(fact.source);
  return std::ranges::any_of(rule.citations, [&](const Citation& cite) { return without_fragment(cite.url) == source; });
}

}  // namespace ordercheck
