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
#include "cli/project/open_options.h"
#include "cli/project/project.h"
#include "cli/settings/project_notes.h"
#include "cli/settings/project_view.h"
#include "import/code/scan.h"
#include "rules/check.h"
#include "stack/notation.h"
#include "stack/transforms.h"

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
  std::vector<Item> items = stack.items;
  std::erase_if(items, [](const Item& item) { return info_of(item).between; });
  return items.empty() || (items.size() == 1 && (items.front().name == "amp" || items.front().name == "optimizer"));
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
    OpenOptions open;
    for (const ScannedCall& call : one->calls) open.push_back(call.open_options);
    reports.push_back(check_with_open_options(one->imported.stack, open, judge));
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

}  // namespace ordercheck::cli
