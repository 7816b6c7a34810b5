#include "cli/project/check_code.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "base/displayable.h"
#include "base/text.h"
#include "base/wording.h"
#include "check/check.h"
#include "cli/command.h"
#include "cli/project/project.h"
#include "importer/code/scan.h"
#include "project/project_view.h"
#include "stack/notation.h"

namespace ordercheck::cli {
namespace {

// Each name once: a report finds a stack by it.
std::string name_for(const ScannedStack& one, const Project& project) {
  const std::string name = one_line(one.imported.part);
  const bool is_taken = std::ranges::count(project.stacks, name, &ProjectStack::name) > 0;
  return is_taken ? fmt::format("{} ({}, stack {})", name, one_line(one.function.file), project.stacks.size() + 1) : name;
}

Project project_of(const ScannedCode& code, const Job& job, const std::string& path) {
  Project project{.path = path, .rules = {}, .stacks = {}, .allows = {}};
  for (const ScannedStack& one : code.stacks) {
    if (one.imported.stack.items.size() < 2) continue;
    ProjectStack made{.name = name_for(one, project), .stack = one.imported.stack, .target = {}, .run = {}, .job = job};
    made.line = one.function.line;
    made.file = one.function.file;
    project.stacks.push_back(std::move(made));
  }
  return project;
}

// What a report of CI has no place for.
void tell_what_was_not_read(const ScannedCode& code, const std::string& path) {
  for (const UnreadFile& unread : code.unread)
    fmt::print(stderr, "ordercheck check: not read: {}\n", one_line(displayable(in_words(unread))));
  std::vector<std::string> notes;
  const auto add = [&](const NotUnderstood& note) {
    const std::string told = fmt::format("{}:{}: {}", note.where.file, note.where.line, note.text);
    if (!contains(notes, told)) notes.push_back(told);
  };
  for (const NotUnderstood& note : code.not_understood) add(note);
  for (const ScannedStack& one : code.stacks)
    for (const NotUnderstood& note : one.imported.not_understood) add(note);
  if (!notes.empty())
    fmt::print(stderr, "ordercheck check: {} not understood; ordercheck scan {} names each\n",
               counted(static_cast<std::int64_t>(notes.size()), "call was", "calls were"), one_line(displayable(path)));
}

}  // namespace

bool is_code(const Question& question) {
  if (question.words.size() != 1) return false;
  const std::string& word = question.words.front();
  std::error_code failed;
  // A folder may be called like a transform: what can be a stack is one.
  return word.ends_with(".py") || (std::filesystem::is_directory(word, failed) && !parse_stack(word));
}

Result<int> check_code(const Question& question, bool strict) {
  const std::string& path = question.words.front();
  const auto code = scan_code(path);
  if (!code) return code.error();
  Question of_model = question;
  of_model.words = {"model"};
  const auto asked = read_question(of_model);
  if (!asked) return asked.error();
  const Judge judge(asked->knowledge.rules, asked->settled.target, asked->knowledge.observations, asked->job);
  const Project project = project_of(*code, asked->job, path);
  std::vector<Report> reports;
  for (const ProjectStack& one : project.stacks) {
    reports.push_back(check(one.stack, judge));
    reports.back().target_assumed = asked->settled.assumed;
    reports.back().newest_run = asked->settled.newest_run;
  }
  ProjectReport report = judged(project, std::move(reports), "", from_repository(path));
  report.of_code = true;
  for (const ScannedStack& one : code->stacks)
    for (const Item& item : one.imported.stack.items) report.code[item.origin.file] = from_repository(item.origin.file);
  for (const ProjectStack& one : project.stacks) report.code[one.file] = from_repository(one.file);
  tell_what_was_not_read(*code, path);
  if (question.format == "text")
    fmt::print("{}", render_project_text(report));
  else
    fmt::print("{}", question.format == "json" ? render_project_json(report)
                                               : render_for_ci(report, question.format, asked->knowledge.rules));
  if (errors_of(report) > 0 || (strict && advice_of(report) > 0)) return kDecidedAgainst;
  return unknown_of(report) > 0 ? kUndecided : kNothingAgainst;
}

}  // namespace ordercheck::cli
