#include "cli/settings/project_report.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/toml.h"
#include "cli/settings/project_file.h"
#include "cli/settings/project_notes.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

// Removes conflict and repair from a report that has no error findings left, after allowed ones were moved out.
void drop_repair_without_error(Report& report) {
  if (count_of(report, Severity::error) > 0) return;
  report.conflict.reset();
  report.repaired.reset();
}

}  // namespace

ProjectReport judged(const Project& project, std::vector<Report> reports, const std::string& today,
                     const std::string& from_repository, std::map<std::string, std::string> code) {
  ProjectReport made{.path = project.path,
                     .from_repository = from_repository,
                     .of_code = false,
                     .code = std::move(code),
                     .stacks = {},
                     .expired = {},
                     .idle = {}};
  std::vector<bool> used(project.allows.size(), false);
  const auto allowance_of = [&](const ProjectNote& note) {
    const Allow* by = nullptr;
    for (std::size_t at = 0; at < project.allows.size(); ++at) {
      const Allow& allow = project.allows[at];
      if (!covers(allow, note)) continue;
      used[at] = true;
      if (by == nullptr && !has_expired(allow, today)) by = &allow;
    }
    return by;
  };
  for (std::size_t i = 0; i < reports.size(); ++i) {
    StackReport one{.entry = project.stacks[i], .report = std::move(reports[i]), .allowed = {}};
    const auto is_allowed = [&](const auto& found) {
      const ProjectNote note = note_of(made, one, found);
      const Allow* by = allowance_of(note);
      if (by != nullptr) one.allowed.push_back({note, *by});
      return by != nullptr;
    };
    std::erase_if(one.report.findings, [&](const Finding& found) {
      // Entries for rules that the found one implies are used too.
      for (const std::string& implied : found.also) {
        ProjectNote note = note_of(made, one, found);
        note.rule = implied;
        allowance_of(note);
      }
      return is_allowed(found);
    });
    std::erase_if(one.report.unknown, is_allowed);
    if (one.report.ran_wrong) {
      const ProjectNote note = note_of_wrong_run(made, one);
      const Allow* by = allowance_of(note);
      if (by != nullptr) one.allowed.push_back({note, *by});
      one.report.ran_wrong = by == nullptr;
    }
    drop_repair_without_error(one.report);
    made.stacks.push_back(std::move(one));
  }
  for (std::size_t at = 0; at < project.allows.size(); ++at) {
    if (has_expired(project.allows[at], today))
      made.expired.push_back(project.allows[at]);
    else if (!used[at])
      made.idle.push_back(project.allows[at]);
  }
  return made;
}

ProjectReport judged(Report report, const std::string& path, const std::string& from_repository) {
  Project alone;
  alone.path = path;
  alone.stacks.push_back({.name = print(report.stack), .stack = report.stack, .target = {}, .run = {}, .job = Job({}, {})});
  std::vector<Report> reports;
  reports.push_back(std::move(report));
  return judged(alone, std::move(reports), "", from_repository);
}

std::string id_of(const Unknown& unknown) { return kUnknownPrefix + unknown.transform; }

int undecided_of(const ProjectReport& report) {
  int undecided = 0;
  for (const StackReport& one : report.stacks)
    undecided += static_cast<int>(one.report.unknown.size()) + (one.report.ran_wrong ? 1 : 0);
  return undecided;
}

int errors_of(const ProjectReport& report) {
  int errors = static_cast<int>(report.expired.size());
  for (const StackReport& one : report.stacks) errors += count_of(one.report, Severity::error);
  return errors;
}

int advice_of(const ProjectReport& report) {
  int advice = static_cast<int>(report.idle.size());
  for (const StackReport& one : report.stacks) advice += count_of(one.report, Severity::advice);
  return advice;
}

namespace {

// The byte offset of a toml++ position, which counts lines and UTF-8 characters from 1.
std::size_t offset_of(std::string_view text, toml::source_position place) {
  std::size_t at = 0;
  for (toml::source_index line = 1; line < place.line && at < text.size(); ++line) at = text.find('\n', at) + 1;
  for (toml::source_index column = 1; column < place.column && at < text.size(); ++column) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) ++at;
  }
  return at;
}

const toml::node* value_in(const toml::table& whole, std::size_t which) {
  for (const auto part : {whole["stack"], whole["tool"]["ordercheck"]["stack"]})
    if (const toml::node* found = part[which]["stack"].node(); found != nullptr && found->is_string()) return found;
  return nullptr;
}

bool is_same_but_for(const Project& before, const Project& after, std::size_t which, const Stack& stack) {
  if (before.stacks.size() != after.stacks.size() || before.allows.size() != after.allows.size()) return false;
  for (std::size_t at = 0; at < before.stacks.size(); ++at) {
    const ProjectStack &old = before.stacks[at], &made = after.stacks[at];
    if (old.name != made.name || old.line != made.line || made.stack != (at == which ? stack : old.stack)) return false;
  }
  return true;
}

}  // namespace

Result<std::string> with_stack(std::string_view text, const std::string& path, std::size_t which, const Stack& stack) {
  const auto before = parse_project(text, path);
  if (!before) return before.error();
  toml::table whole;
  const toml::node* value = parse_toml(text, whole) ? nullptr : value_in(whole, which);
  if (value == nullptr) return Error{fmt::format("{}: there is no stack {} to write anew", path, which + 1)};
  const std::size_t begin = offset_of(text, value->source().begin), end = offset_of(text, value->source().end);
  // The notation needs no escapes in a TOML basic string.
  std::string made = fmt::format("{}\"{}\"{}", text.substr(0, begin), print(stack), text.substr(end));
  const auto after = parse_project(made, path);
  if (!after || !is_same_but_for(*before, *after, which, stack))
    return Error{fmt::format("{}:{}: stack '{}' could not be written anew; write stack = \"{}\" there", path,
                             before->stacks[which].line, before->stacks[which].name, print(stack))};
  return made;
}

}  // namespace ordercheck
