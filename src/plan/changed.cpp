#include "plan/changed.h"

#include <algorithm>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "base/toml.h"
#include "rule/pattern.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

Result<Affected> affected_named(const std::string& name) {
  if (const auto found = find_named<Affected>(name)) return *found;
  return Error{fmt::format("expected one of {}, got '{}'", join(all_names<Affected>(), ", "), name)};
}

using Affects = std::function<bool(const PlannedCase&)>;

struct Context {
  const Plan& plan;
  const std::vector<Rule>& rules;
  const ChangeTable& table;
  const EngineSources& sources;
};

Affects all_if(bool affected) {
  return [affected](const PlannedCase&) { return affected; };
}

bool has_transform(const PlannedCase& planned, const std::vector<std::string>& names) {
  return std::ranges::any_of(planned.subject.stack.items, [&](const Item& item) { return contains(names, item.name); });
}

bool has_source(const PlannedCase& planned, SourceKind kind, const std::string& detail) {
  return std::ranges::any_of(planned.sources, [&](const Source& source) {
    return source.kind == kind && (source.detail == detail || source.detail.starts_with(detail + " "));
  });
}

bool holds_names_of(const PlannedCase& planned, const Pattern& pattern) {
  return pattern.any_of.empty() || std::ranges::any_of(planned.subject.stack.items, [&](const Item& item) {
           return std::ranges::any_of(pattern.any_of, [&](const auto& one) { return one.name == item.name; });
         });
}

// More than the cases on which the page fires now: it may have fired, before it was changed, on another order, scope or degree
// of the same transforms. `needs` fires where the other item is absent.
Affects affects_of(const Rule& rule) {
  return [&rule](const PlannedCase& planned) {
    return has_source(planned, SourceKind::witness, rule.id) || has_source(planned, SourceKind::edge, rule.id) ||
           (holds_names_of(planned, rule.one) && (rule.kind == RuleKind::needs || holds_names_of(planned, rule.other)));
  };
}

std::string stem_of(const std::string& path) { return std::filesystem::path(path).stem().string(); }

Result<Affects> of_page(const std::string& path, const Context& context) {
  const auto rule = std::ranges::find_if(context.rules, [&](const Rule& one) {
    return one.slug == stem_of(path) && path.ends_with(fmt::format("{}/{}.md", name_of(one.kind), one.slug));
  });
  if (rule != context.rules.end()) return affects_of(*rule);
  return Error{fmt::format("--changed {}: no page of the rules that were read; leave --changed out to run every case", path)};
}

Affects from(SourceKind kind, const std::string& path) {
  return [kind, stem = stem_of(path)](const PlannedCase& planned) { return has_source(planned, kind, stem); };
}

// "matrix/engines/native.toml", "matrix/evidence/native/libtorch-2.11.0-cpu.tsv".
bool is_named_for(const std::string& path, const std::string& engine) {
  const std::filesystem::path file(path);
  return file.stem() == engine || file.parent_path().filename() == engine;
}

bool lies_in(const std::string& path, const std::string& folder) { return path == folder || path.starts_with(folder + "/"); }

// A transform changes only the model that it gets: a case without it never calls it. Its twins and reference neither.
Affects of_source(const std::string& path, const Context& context) {
  const auto& [folders, transforms, own_space] = context.sources;
  const auto holds_path = [&](const std::string& folder) { return lies_in(path, folder); };
  if (!folders.empty() && std::ranges::none_of(folders, holds_path)) return all_if(false);
  if (transforms.empty() || !lies_in(path, transforms)) return all_if(true);
  const std::string stem = stem_of(path);
  const auto known = context.table.transforms_of_source.find(stem);
  std::vector<std::string> names;
  if (known != context.table.transforms_of_source.end())
    names = known->second;
  else if (find_transform(stem) != nullptr)
    names = {stem};
  if (names.empty()) return all_if(true);
  return [names](const PlannedCase& planned) { return has_transform(planned, names); };
}

Result<Affects> affects_of(Affected affected, const std::string& path, const Context& context) {
  switch (affected) {
    case Affected::nothing: return all_if(false);
    case Affected::everything: return all_if(true);
    case Affected::page: return of_page(path, context);
    case Affected::framework: return from(SourceKind::framework, path);
    case Affected::engine: return all_if(is_named_for(path, context.plan.engine));
    case Affected::space: return all_if(!context.sources.own_space);
    case Affected::own_space: return all_if(context.sources.own_space && stem_of(path) == "space-" + context.plan.engine);
    case Affected::sources: return of_source(path, context);
  }
  return all_if(true);
}

// Of a file in the root alone: "*.md" is no pattern for a page somewhere else.
bool takes(const ChangeTable::Row& row, const std::string& path) {
  const bool in_root = row.paths.find('/') == std::string::npos && !row.paths.starts_with('.');
  return glob_match(row.paths, path) && (!in_root || path.find('/') == std::string::npos);
}

Result<Affects> affects_of(const std::string& change, const Context& context) {
  if (const auto rule = std::ranges::find(context.rules, change, &Rule::id); rule != context.rules.end())
    return affects_of(*rule);
  const auto row = std::ranges::find_if(context.table.rows, [&](const ChangeTable::Row& one) { return takes(one, change); });
  if (row != context.table.rows.end()) return affects_of(row->affects, change, context);
  std::vector<std::string> ids;
  for (const Rule& rule : context.rules) ids.push_back(rule.id);
  return Error{
      fmt::format("--changed {}: expected a rule's id or a path of ordercheck's repository, such as rules/order/{}.md{}",
                  change, context.rules.empty() ? "fsdp-before-tp" : context.rules.front().slug,
                  change.find('/') == std::string::npos ? "; " + did_you_mean(change, ids) : "")};
}

}  // namespace

Result<ChangeTable> parse_changes(std::string_view text, const std::string& path) {
  TomlTable file(text, path);
  ChangeTable table;
  for (TomlTable& change : file.tables("change")) {
    const Affected affects = change.take("affects", affected_named(change.text("affects")));
    for (const std::string& paths : change.texts("paths")) table.rows.push_back({.paths = paths, .affects = affects});
    file.adopt(change);
  }
  for (TomlTable& source : file.tables_if_given("source")) {
    std::vector<std::string> names = source.texts("transforms");
    for (std::size_t i = 0; i < names.size(); ++i)
      if (find_transform(names[i]) == nullptr) source.refuse("transforms", i, fmt::format("unknown transform '{}'", names[i]));
    table.transforms_of_source[source.text("name")] = std::move(names);
    file.adopt(source);
  }
  if (const auto error = file.error()) return *error;
  return table;
}

Result<ChangeTable> load_changes(const std::filesystem::path& path) {
  const auto text = read_file(path);
  return text ? parse_changes(*text, path.string()) : text.error();
}

Result<Plan> affected_by(const std::vector<std::string>& changes, Plan plan, const std::vector<Rule>& rules,
                         const ChangeTable& table, const EngineSources& sources) {
  std::vector<Affects> affects;
  for (const std::string& change : changes) {
    auto one = affects_of(change, Context{.plan = plan, .rules = rules, .table = table, .sources = sources});
    if (!one) return one.error();
    affects.push_back(std::move(one).value());
  }
  const auto is_affected = [&](const PlannedCase& planned) {
    return std::ranges::any_of(affects, [&](const Affects& one) { return one(planned); });
  };
  std::erase_if(plan.cases, [&](const PlannedCase& planned) { return !is_affected(planned); });
  std::erase_if(plan.not_planned, [&](const NotPlanned& one) { return !is_affected({one.subject, one.sources}); });
  return plan;
}

}  // namespace ordercheck
