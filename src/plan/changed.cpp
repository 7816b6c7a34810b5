#include "plan/changed.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "rule/pattern.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

struct Change {
  std::string path;
  std::string stem;  // of the path: the name without folder and ending
};

using Affects = std::function<bool(const PlannedCase&)>;

struct Asked {
  const Plan& plan;
  const std::vector<Rule>& rules;
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

Result<Affects> of_rule_page(const Change& change, const Asked& asked) {
  const auto rule = std::ranges::find_if(asked.rules, [&](const Rule& one) {
    return one.slug == change.stem && change.path.ends_with(fmt::format("{}/{}.md", name_of(one.kind), one.slug));
  });
  if (rule != asked.rules.end()) return affects_of(*rule);
  return Error{
      fmt::format("--changed {}: no page of the rules that were read; leave --changed out to run every case", change.path)};
}

// A transform changes only the model that it gets: a case without it never calls it. Its twins and reference neither.
Affects of_transform(const Change& change, bool of_this_engine) {
  const auto names = transforms_of_source(change.stem);
  if (names.empty() || !of_this_engine) return all_if(of_this_engine);
  return [names](const PlannedCase& planned) { return has_transform(planned, names); };
}

// A project's functions call the driver's transforms where they like.
Affects of_python_transform(const Change& change, const Asked& asked) {
  if (!asked.sources.project.empty()) return all_if(asked.sources.python);
  return of_transform(change, asked.sources.python);
}

// "src/drivers/name/ordercheck_name.py" is of the project `name`.
Affects of_project(const Change& change, const Asked& asked) {
  const auto parts = split(change.path, '/');
  return all_if(parts.size() > 3 && parts[2] == asked.sources.project);
}

// "matrix/evidence/pytorch/torch-2.11.0-cpu.tsv" is of pytorch.
Affects of_evidence(const Change& change, const Asked& asked) {
  const auto parts = split(change.path, '/');
  return all_if(parts.size() > 2 && parts[2] == asked.plan.engine);
}

struct Row {
  std::string_view paths;
  std::function<Result<Affects>(const Change&, const Asked&)> affects;
};

// The first row whose pattern takes the path says what it can affect; * takes / too. Safe, because
//   - rooms that every engine is run, judged or planned by are above nothing: src/* and the build, at the end, affect all;
//   - what affects nothing is read by no run: prose, tests, and what turns results into text;
//   - a project's order and a discussion only name cases, which the plan tells by their sources.
const std::vector<Row>& table() {
  const auto nothing = [](const Change&, const Asked&) -> Result<Affects> { return all_if(false); };
  const auto everything = [](const Change&, const Asked&) -> Result<Affects> { return all_if(true); };
  const auto native = [](const Change&, const Asked& asked) -> Result<Affects> { return all_if(asked.sources.native); };
  const auto python = [](const Change&, const Asked& asked) -> Result<Affects> { return all_if(asked.sources.python); };
  static const std::vector<Row> rows{
      {"rules/TEMPLATE.md", nothing},
      {"rules/*.md", of_rule_page},
      {"matrix/frameworks/*.toml",
       [](const Change& change, const Asked&) -> Result<Affects> {
         return Affects([stem = change.stem](const PlannedCase& c) { return has_source(c, SourceKind::framework, stem); });
       }},
      {"matrix/discussions/*.toml",
       [](const Change& change, const Asked&) -> Result<Affects> {
         return Affects([stem = change.stem](const PlannedCase& c) { return has_source(c, SourceKind::discussion, stem); });
       }},
      {"matrix/engines/*.toml",
       [](const Change& change, const Asked& asked) -> Result<Affects> { return all_if(change.stem == asked.plan.engine); }},
      {"matrix/evidence/*", [](const Change& c, const Asked& asked) -> Result<Affects> { return of_evidence(c, asked); }},
      {"matrix/space.toml",
       [](const Change&, const Asked& asked) -> Result<Affects> { return all_if(!asked.sources.own_space); }},
      {"matrix/space-*.toml",
       [](const Change& change, const Asked& asked) -> Result<Affects> {
         return all_if(asked.sources.own_space && change.stem == "space-" + asked.plan.engine);
       }},
      {"matrix/observations/*", nothing},  // scripts that nobody but a reader starts
      {"matrix/durations/*", nothing},     // where a case runs, not how
      {"src/ranks/transform/*",
       [](const Change& c, const Asked& asked) -> Result<Affects> { return of_transform(c, asked.sources.native); }},
      {"src/ranks/*", native},
      {"src/drivers/pytorch/ordercheck_pytorch/program/transforms/*",
       [](const Change& c, const Asked& asked) -> Result<Affects> { return of_python_transform(c, asked); }},
      {"src/drivers/pytorch/*", python},
      {"src/drivers/*", [](const Change& c, const Asked& asked) -> Result<Affects> { return of_project(c, asked); }},
      {"src/report/*", nothing},
      {"src/python/*", nothing},
      {"src/cli/explain*", nothing},
      {"src/cli/completion*", nothing},
      {"src/*", everything},
      {"scripts/lib/*", everything},  // which torch is installed
      {"CMake*", everything},
      {"scripts/*", nothing},
      {"tests/*", nothing},
      {"bench/*", nothing},
      {"docs/*", nothing},
      {"glossary/*", nothing},
      {"report_templates/*", nothing},
      {".*", nothing},  // .ci, .gitignore, .clang-format
      {"*.md", nothing},
      {"LICENSE", nothing},
      {"pyproject.toml", nothing},  // of the wheel, whose program is built of the same sources
      {"action.yml", nothing},
  };
  return rows;
}

// Of a file in the root alone: "*.md" is no pattern for a page somewhere else.
bool takes(const Row& row, const std::string& path) {
  const bool in_root = row.paths.find('/') == std::string_view::npos && !row.paths.starts_with('.');
  return glob_match(row.paths, path) && (!in_root || path.find('/') == std::string::npos);
}

Result<Affects> affects_of(const std::string& change, const Asked& asked) {
  if (const auto rule = std::ranges::find(asked.rules, change, &Rule::id); rule != asked.rules.end()) return affects_of(*rule);
  const auto row = std::ranges::find_if(table(), [&](const Row& one) { return takes(one, change); });
  if (row != table().end()) return row->affects({.path = change, .stem = std::filesystem::path(change).stem().string()}, asked);
  std::vector<std::string> ids;
  for (const Rule& rule : asked.rules) ids.push_back(rule.id);
  return Error{
      fmt::format("--changed {}: expected a rule's id or a path of ordercheck's repository, such as rules/order/{}.md or "
                  "src/ranks/transform/tp.cpp{}",
                  change, asked.rules.empty() ? "fsdp-before-tp" : asked.rules.front().slug,
                  change.find('/') == std::string::npos ? "; " + did_you_mean(change, ids) : "")};
}

}  // namespace

std::vector<std::string> transforms_of_source(std::string_view stem) {
  // The trainer and published projects take the optimizer of a case that names none from there.
  if (stem == "optimizer" || find_transform(stem) == nullptr) return {};
  if (stem == "fsdp") return {"fsdp", "hsdp"};
  return {std::string(stem)};
}

Result<Plan> affected_by(const std::vector<std::string>& changes, Plan plan, const std::vector<Rule>& rules,
                         const EngineSources& sources) {
  std::vector<Affects> affects;
  for (const std::string& change : changes) {
    auto one = affects_of(change, {.plan = plan, .rules = rules, .sources = sources});
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
