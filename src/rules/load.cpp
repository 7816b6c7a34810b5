#include "rules/load.h"

#include <algorithm>
#include <future>
#include <map>
#include <system_error>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "rules/page_head.h"
#include "rules/page_text.h"

namespace ordercheck {
namespace {

namespace fs = std::filesystem;

// The word between the two transforms in the file name of a kind of rule ("fsdp-before-tp": "before"); empty if the name has
// one transform.
std::string_view slug_word(RuleKind kind) {
  switch (kind) {
    case RuleKind::order: return "-before-";
    case RuleKind::clash:
    case RuleKind::commutes: return "-with-";
    case RuleKind::needs: return "-without-";
    default: return "";
  }
}

// Whether the slug part begins with a transform of the pattern ("simple-fsdp") or with "anything".
bool begins_with(std::string_view part, const Pattern& pattern) {
  std::string name(part);
  std::ranges::replace(name, '-', '_');
  return name.starts_with("anything") ||
         std::ranges::any_of(pattern.any_of, [&](const ItemPattern& one) { return name.starts_with(one.name); });
}

std::string slug_mistake(const Rule& rule) {
  const std::string_view word = slug_word(rule.kind);
  if (word.empty()) {
    if (rule.one.any_of.empty() || begins_with(rule.slug, rule.one)) return "";
    return fmt::format("the slug '{}' does not begin with what the page flags, '{}'", rule.slug, print(rule.one));
  }
  const std::size_t at = rule.slug.find(word);
  if (at == rule.slug.npos)
    return fmt::format("the slug '{}' of a page in {}/ has no '{}'", rule.slug, name_of(rule.kind), word);
  if (begins_with(std::string_view(rule.slug).substr(0, at), rule.one) &&
      begins_with(std::string_view(rule.slug).substr(at + word.size()), rule.other))
    return "";
  return fmt::format("the slug '{}' does not say '{}{}{}'", rule.slug, print(rule.one), word, print(rule.other));
}

// Mistakes that only a check over all pages finds: duplicate ids, unknown ids in `implies`.
std::vector<std::string> set_mistakes(const std::vector<Rule>& rules) {
  std::vector<std::string> mistakes;
  std::map<std::string, const Rule*> by_id;
  for (const Rule& rule : rules) {
    const auto [there, fresh] = by_id.emplace(rule.id, &rule);
    if (!fresh)
      mistakes.push_back(
          fmt::format("{}:1: id \"{}\" is taken by {}; ids are never used twice", rule.file, rule.id, there->second->file));
  }
  for (const Rule& rule : rules)
    for (const std::string& implied : rule.implies) {
      const auto found = by_id.find(implied);
      if (found == by_id.end())
        mistakes.push_back(fmt::format("{}:1: implies \"{}\", which no page has", rule.file, implied));
      else if (rule.retired.empty() && !found->second->retired.empty())
        mistakes.push_back(
            fmt::format("{}:1: implies \"{}\", which is retired ({})", rule.file, implied, found->second->retired));
    }
  return mistakes;
}

std::vector<fs::path> pages_in(const fs::path& folder, std::vector<std::string>& mistakes) {
  std::vector<fs::path> pages;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, failed)) {
    if (!entry.is_regular_file() || entry.path().extension() != ".md") continue;
    const fs::path within = entry.path().lexically_relative(folder);
    if (within == "TEMPLATE.md" || within == "README.md") continue;
    const bool in_kind = std::distance(within.begin(), within.end()) == 2 && find_named<RuleKind>(within.begin()->string());
    if (in_kind)
      pages.push_back(entry.path());
    else
      mistakes.push_back(fmt::format("{}:1: no folder of a kind; expected one of {} right below {}",
                                     (folder.filename() / within).generic_string(), join(all_names<RuleKind>(), ", "),
                                     folder.filename().string()));
  }
  std::ranges::sort(pages);
  return pages;
}

// Parses the pages on two threads, since parsing takes most of the time of `ordercheck check`. The results are in the order of
// `paths`.
std::vector<Result<Rule>> parsed(const std::vector<fs::path>& paths, const fs::path& root) {
  const auto some = [&](std::size_t begin, std::size_t end) {
    std::vector<Result<Rule>> rules;
    for (std::size_t i = begin; i < end; ++i) {
      const Result<std::string> text = read_file(paths[i]);
      rules.push_back(text ? parse_rule(*text, paths[i].lexically_relative(root).generic_string())
                           : Result<Rule>(text.error()));
    }
    return rules;
  };
  std::future<std::vector<Result<Rule>>> second;
  try {
    second = std::async(std::launch::async, some, paths.size() / 2, paths.size());
  } catch (const std::system_error&) {  // no more threads available
    return some(0, paths.size());
  }
  std::vector<Result<Rule>> all = some(0, paths.size() / 2);
  for (Result<Rule>& rule : second.get()) all.push_back(std::move(rule));
  return all;
}

}  // namespace

Result<Rule> parse_rule(std::string_view text, std::string_view file) {
  const fs::path path(file);
  Rule rule;
  rule.slug = path.stem().string();
  rule.file = file;
  rule.page = text;
  const std::string folder = path.parent_path().filename().string();
  const auto kind = find_named<RuleKind>(folder);
  if (!kind)
    return Error{fmt::format("{}:1: '{}' is no kind of rule; known: {}", file, folder, join(all_names<RuleKind>(), ", "))};
  rule.kind = *kind;
  Result<Page> page = parse_page(text, file);
  if (!page) return page.error();
  if (const Status head = read_head(*page, rule); !head) return head.error();
  if (const std::string mistake = slug_mistake(rule); !mistake.empty()) return Error{fmt::format("{}:1: {}", file, mistake)};
  rule.title = page->title;
  rule.flags = page->flags;
  rule.why = page->why;
  rule.limits = page->limits;
  return rule;
}

Result<Pages> load_pages(const fs::path& written) {
  // Absolute and without a trailing slash, so that it has a name and a parent.
  const fs::path folder = fs::absolute(written / "").lexically_normal().parent_path();
  if (!fs::is_directory(folder))
    return Error{fmt::format("{}: no folder of rules; expected <kind>/<slug>.md below it", written.string())};
  std::vector<std::string> mistakes;
  std::vector<Rule> rules;
  for (Result<Rule>& rule : parsed(pages_in(folder, mistakes), folder.parent_path())) {
    if (rule)
      rules.push_back(std::move(rule).value());
    else
      mistakes.push_back(rule.error().message);
  }
  std::ranges::sort(rules, {}, [](const Rule& rule) { return std::pair(rule.kind, rule.id); });
  // A page that failed to load may be the target of an `implies`, so check the set only if all loaded.
  if (mistakes.empty()) mistakes = set_mistakes(rules);
  if (mistakes.empty() && rules.empty())
    mistakes.push_back(fmt::format("{}: no rule page; expected <kind>/<slug>.md below it", written.string()));
  if (!mistakes.empty()) return Error{join(mistakes, "\n")};
  Pages pages;
  for (Rule& rule : rules) (rule.retired.empty() ? pages.rules : pages.retired).push_back(std::move(rule));
  return pages;
}

Result<std::vector<Rule>> load_rules(const fs::path& folder) {
  Result<Pages> pages = load_pages(folder);
  if (!pages) return pages.error();
  return std::move(pages->rules);
}

const Rule* find_rule(const std::vector<Rule>& rules, std::string_view id_or_slug) {
  const auto named = [&](const Rule& rule) {
    return rule.id == id_or_slug || rule.slug == id_or_slug || std::string(name_of(rule.kind)) + "/" + rule.slug == id_or_slug;
  };
  const auto found = std::ranges::find_if(rules, named);
  return found == rules.end() ? nullptr : &*found;
}

std::optional<Version> newest_known(const std::vector<Rule>& rules, std::string_view project) {
  std::optional<Version> newest;
  const auto consider = [&](const Version& version) {
    if (!newest || version > *newest) newest = version;
  };
  for (const Rule& rule : rules) {
    for (const Holds& entry : rule.holds)
      for (const VersionBound& bound : entry.bounds)
        if (entry.project == project && bound.relation != Relation::below) consider(bound.version);
    for (const Expectation& expected : rule.expectations)
      if (expected.engine == project) consider(expected.version);
  }
  return newest;
}

}  // namespace ordercheck
