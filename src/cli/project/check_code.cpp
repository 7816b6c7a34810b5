#include "cli/project/check_code.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/project/found_project.h"
#include "cli/project/ignore_comments.h"
#include "cli/project/project.h"
#include "cli/settings/project_notes.h"
#include "cli/settings/project_view.h"
#include "import/code/scan.h"
#include "rules/check.h"
#include "stack/notation.h"

namespace ordercheck::cli {
namespace {

// The name of a scanned stack in the report, made unique, because the report finds stacks by name.
std::string name_for(const ScannedStack& one, const Project& project) {
  const std::string name = one_line(one.imported.part);
  const bool is_taken = std::ranges::count(project.stacks, name, &ProjectStack::name) > 0;
  return is_taken ? fmt::format("{} ({}, stack {})", name, one_line(one.function.file), project.stacks.size() + 1) : name;
}

struct JudgedCode {
  Project project;
  std::vector<const ScannedStack*> stacks;  // those of the project, in its order
};

JudgedCode project_of(const ScannedCode& code, const Job& job, const std::string& path) {
  JudgedCode made{.project = {.path = path, .rules = {}, .stacks = {}, .allows = {}}, .stacks = {}};
  for (const ScannedStack& one : code.stacks) {
    if (is_lone_number(one.imported.stack)) continue;
    ProjectStack entry{.name = name_for(one, made.project), .stack = one.imported.stack, .target = {}, .run = {}, .job = job};
    entry.line = one.function.line;
    entry.file = one.function.file;
    made.project.stacks.push_back(std::move(entry));
    made.stacks.push_back(&one);
  }
  return made;
}

// Adds what allows findings: comments of the code, and the entries of .ordercheck.toml, here or above, that apply to every
// stack. Entries for one stack refer to that file's stacks. Adds that file's own rules too, which entries may name.
Status add_allowances(const ScannedCode& code, Project& project, std::vector<Rule>& rules) {
  const auto comments = ignore_comments(code);
  if (!comments) return comments.error();
  project.allows = *comments;
  if (const auto file = find_project_file()) {
    const auto own = read_project_file(*file);
    if (!own) return own.error();
    if (const Status added = add_own_rules(*own, rules); !added) return added.error();
    for (const Allow& allow : own->allows)
      if (allow.stack.empty()) project.allows.push_back(allow);
  }
  return check_allowed_rules(project, rules);
}

// The paths of the files that the report names, relative to the root of the repository.
std::map<std::string, std::string> files_of(const ScannedCode& code, const std::vector<OpenPlace>& open) {
  std::map<std::string, std::string> files;
  const auto add = [&](const Origin& where) {
    if (!files.contains(where.file)) files[where.file] = from_repository(where.file);
  };
  for (const ScannedStack& one : code.stacks) {
    add(one.function);
    for (const Item& item : one.imported.stack.items) add(item.origin);
  }
  for (const OpenPlace& one : open) add(one.where);
  for (const Directive& one : code.directives) add(one.where);
  return files;
}

std::vector<OpenPlace> open_places(const ScannedCode& code) {
  std::vector<OpenPlace> open;
  std::vector<std::string> seen;
  const auto add = [&](const NotUnderstood& note) {
    const std::string message = fmt::format("{}:{}: {}: {}", note.where.file, note.where.line, note.text, note.why);
    if (note.kind == NoteKind::remark || contains(seen, message)) return;
    seen.push_back(message);
    open.push_back({.where = note.where, .text = fmt::format("not understood: {}: {}", note.text, note.why)});
  };
  for (const ScannedStack& one : code.stacks)
    for (const NotUnderstood& note : one.imported.not_understood) add(note);
  for (const NotUnderstood& note : code.not_understood) add(note);
  for (const UnreadFile& unread : code.unread) open.push_back({.where = unread.where, .text = "not read: " + unread.why});
  return open;
}

}  // namespace

bool is_lone_number(const Stack& stack) {
  return stack.items.size() == 1 && (stack.items.front().name == "amp" || stack.items.front().name == "optimizer");
}

bool is_code(const Question& question) {
  if (question.words.size() != 1) return false;
  const std::string& word = question.words.front();
  std::error_code failed;
  // A folder may have the name of a transform: a valid stack takes precedence.
  return word.ends_with(".py") || (std::filesystem::is_directory(word, failed) && !parse_stack(word));
}

Result<int> check_code(const CheckOptions& options) {
  const Question& question = options.question;
  const std::string& path = question.words.front();
  const auto code = scan_code(path);
  if (!code) return code.error();
  Question of_model = question;
  of_model.words = {"model"};
  auto asked = read_question(of_model);
  if (!asked) return asked.error();
  Knowledge& known = asked->knowledge;
  JudgedCode judged_code = project_of(*code, asked->job, path);
  if (const Status added = add_allowances(*code, judged_code.project, known.rules); !added) return added.error();
  auto selection = RuleSelection::parse(options.select, options.ignore, known.rules);
  if (!selection) return selection.error();
  leave_out_unasked(judged_code.project, *selection);
  const Judge judge(known.rules, asked->settled.target, known.observations, asked->job, *selection);
  std::vector<Report> reports;
  for (const ScannedStack* one : judged_code.stacks) {
    reports.push_back(check_scanned(*one, judge));
    reports.back().target_assumed = asked->settled.assumed;
    reports.back().newest_run = asked->settled.newest_run;
  }
  const auto day = day_of(options.today);
  if (!day) return day.error();
  const std::vector<OpenPlace> open = open_places(*code);
  ProjectReport report = judged(judged_code.project, std::move(reports), *day, from_repository(path), files_of(*code, open));
  report.of_code = true;
  report.open = open;
  // Unused and expired entries of the project file concern its own stacks, so report only unused comments here.
  // A comment in code that was not understood may be about a call that was not followed.
  std::erase_if(report.idle, [&](const Allow& allow) { return allow.covers == 0 || !report.open.empty(); });
  report.expired.clear();
  fmt::print("{}", render(report, options, known.rules));
  if (errors_of(report) > 0 || (options.strict && advice_of(report) > 0)) return kDecidedAgainst;
  const bool is_open = report.stacks.empty() || !report.open.empty() || undecided_of(report) > 0;
  return is_open ? kUndecided : kNothingAgainst;
}

namespace {

// One possible value of an option that code leaves open, and when it applies. Without a value, the option is not written.
struct OpenValue {
  std::string option;
  std::string value;
  std::string condition;
};

const std::vector<std::vector<OpenValue>>& open_values() {
  static const std::vector<std::vector<OpenValue>> all{
      {{"sp", "", "your plan has sequence parallelism"}, {"sp", "off", "your plan has no sequence parallelism"}},
      {{"plan", "", "your plan splits the embedding by rows"}, {"plan", "blocks", "your plan leaves the embedding whole"}}};
  return all;
}

struct Variant {
  Stack stack;
  // Conditions of the open options. An option with a value outside the notation adds none, since its effect is unknown.
  std::vector<std::string> conditions;
};

std::vector<Variant> variants_of(const ScannedStack& one) {
  std::vector<Variant> all{{.stack = one.imported.stack, .conditions = {}}};
  for (std::size_t at = 0; at < one.calls.size(); ++at)
    for (const auto& [option, state] : one.calls[at].open_options) {
      const auto values = std::ranges::find_if(open_values(), [&](const auto& row) { return row.front().option == option; });
      if (values == open_values().end()) continue;
      std::vector<Variant> longer;
      for (const Variant& variant : all)
        for (const OpenValue& value : *values) {
          Variant made = variant;
          if (!value.value.empty()) made.stack.items[at].options.push_back({option, value.value});
          if (state != "other") made.conditions.push_back(value.condition);
          longer.push_back(std::move(made));
        }
      all = std::move(longer);
    }
  return all;
}

bool is_same(const Finding& one, const Finding& other) {
  return one.rule == other.rule && std::ranges::equal(one.parties, other.parties, {}, &Party::index, &Party::index);
}

using FindingList = std::vector<Finding>;

bool has(const FindingList& findings, const Finding& finding) {
  return std::ranges::any_of(findings, [&](const Finding& one) { return is_same(one, finding); });
}

using Conditions = std::vector<std::string>;

// The combinations of option values for which the finding occurs; one empty combination if it occurs for all.
std::vector<Conditions> conditions_with(const std::vector<Variant>& variants, const std::vector<FindingList>& found,
                                        const Finding& finding) {
  std::map<Conditions, bool> all;
  for (std::size_t at = 0; at < variants.size(); ++at) {
    bool& has_all = all.try_emplace(variants[at].conditions, true).first->second;
    has_all = has_all && has(found[at], finding);
  }
  std::vector<Conditions> with;
  for (const auto& [conditions, has_all] : all)
    if (has_all) with.push_back(conditions);
  return with.size() == all.size() ? std::vector<Conditions>{{}} : with;
}

Conditions shared_by(const std::vector<Conditions>& all) {
  Conditions shared = all.front();
  for (const Conditions& other : all)
    std::erase_if(shared, [&](const std::string& one) { return std::ranges::count(other, one) == 0; });
  return shared.empty() ? all.front() : shared;
}

// Merges the findings of the variants: `found` has a list for each.
FindingList merge(const std::vector<Variant>& variants, const std::vector<FindingList>& found) {
  FindingList made;
  for (const FindingList& findings : found)
    for (const Finding& finding : findings) {
      if (has(made, finding)) continue;
      const std::vector<Conditions> with = conditions_with(variants, found, finding);
      if (with.empty()) continue;
      made.push_back(finding);
      if (with.front().empty()) continue;
      Finding& conditional = made.back();
      conditional.severity = Severity::advice;
      conditional.headline = fmt::format("if {}: {}", join(shared_by(with), " and "), finding.headline);
    }
  std::ranges::stable_sort(made, {}, [](const Finding& finding) { return finding.severity != Severity::error; });
  return made;
}

}  // namespace

Report check_scanned(const ScannedStack& one, const Judge& judge) {
  const std::vector<Variant> variants = variants_of(one);
  std::vector<Report> reports;
  std::vector<FindingList> found, not_asked;
  for (const Variant& variant : variants) {
    reports.push_back(check(variant.stack, judge));
    found.push_back(reports.back().findings);
    not_asked.push_back(reports.back().not_asked.findings);
  }
  Report made = reports.front();
  made.findings = merge(variants, found);
  made.not_asked.findings = merge(variants, not_asked);
  if (count_of(made, Severity::error) == 0) {
    made.conflict.reset();
    made.repaired.reset();
  }
  return made;
}

}  // namespace ordercheck::cli
