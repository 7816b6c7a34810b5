#include "cli/settings/project_notes.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "base/text.h"
#include "base/wording.h"
#include "rules/render.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

std::string try_text(const Finding& finding) {
  return finding.tries.empty() ? ""
                               : fmt::format("try {} [{}]", print(finding.tries.front().stack), finding.tries.front().seen);
}

Origin place_of_items(const ProjectReport& report, const StackReport& one, const std::vector<std::size_t>& items) {
  if (items.empty() || items.back() >= one.report.stack.items.size()) return place_of(report, one.entry);
  const Origin& origin = one.report.stack.items[items.back()].origin;
  return report.code.contains(origin.file) ? origin : place_of(report, one.entry);
}

std::string where_of(const Allow& allow) { return allow.stack.empty() ? "" : " in " + allow.stack; }

bool is_about(const Allow& allow, std::string_view stack, std::string_view rule) {
  return allow.rule == rule && (allow.stack.empty() || allow.stack == stack);
}

ProjectNote note_of(const Allow& allow, const char* rule, Severity severity, const std::string& text) {
  return {.rule = rule,
          .severity = severity,
          .where = {.file = allow.file, .line = allow.line},
          .stack = "",
          .lines = {text},
          .fingerprint = allow.rule + where_of(allow)};
}

}  // namespace

ProjectNote note_of(const ProjectReport& whole, const StackReport& one, const Finding& finding) {
  const ProjectStack& entry = one.entry;
  std::string parties;
  for (const Party& party : finding.parties) parties += " " + party.text;
  ProjectNote note{
      .rule = finding.rule,
      .severity = finding.severity,
      .where = place_of(whole, one, finding),
      .stack = entry.name,
      .lines = {fmt::format("{}: {}", entry.name, finding.headline), fmt::format("{}: {}", finding.instead, finding.why)},
      .fingerprint = entry.name + parties};
  if (const std::string way = try_text(finding); !way.empty()) note.lines.push_back(way);
  return note;
}

ProjectNote note_of(const ProjectReport& whole, const StackReport& one, const Unknown& unknown) {
  const ProjectStack& entry = one.entry;
  std::vector<std::size_t> items;
  for (std::size_t at = 0; at < one.report.stack.items.size(); ++at)
    if (one.report.stack.items[at].name == unknown.transform) items.push_back(at);
  return {.rule = id_of(unknown),
          .severity = Severity::advice,
          .where = place_of_items(whole, one, items),
          .stack = entry.name,
          .lines = {fmt::format("{}: {}", entry.name, in_words(unknown, one.report.target))},
          .fingerprint = fmt::format("{} {}", entry.name, unknown.transform)};
}

ProjectNote note_of_wrong_run(const ProjectReport& report, const StackReport& one) {
  return {.rule = kWrongRun,
          .severity = Severity::advice,
          .where = place_of(report, one.entry),
          .stack = one.entry.name,
          .lines = {fmt::format("{}: {}, and no rule that was judged says why", one.entry.name, one.report.seen)},
          .fingerprint = one.entry.name};
}

std::string message_of(const ProjectNote& note) { return join(note.lines, "; "); }

Origin place_of(const ProjectReport& report, const ProjectStack& entry) {
  return {.file = entry.file.empty() ? report.path : entry.file, .line = entry.line};
}

Origin place_of(const ProjectReport& report, const StackReport& one, const Finding& finding) {
  std::vector<std::size_t> items;
  for (const Party& party : finding.parties) items.push_back(party.index);
  return place_of_items(report, one, items);
}

std::string in_repository(const ProjectReport& report, const Origin& where) {
  const auto code = report.code.find(where.file);
  return code == report.code.end() ? report.from_repository : code->second;
}

std::vector<ProjectNote> notes_of(const ProjectReport& report) {
  std::vector<ProjectNote> notes;
  for (const StackReport& one : report.stacks) {
    for (const Finding& finding : one.report.findings) notes.push_back(note_of(report, one, finding));
    for (const Unknown& unknown : one.report.unknown) notes.push_back(note_of(report, one, unknown));
    if (one.report.ran_wrong) notes.push_back(note_of_wrong_run(report, one));
  }
  for (const OpenPlace& open : report.open)
    notes.push_back({.rule = open.is_error ? kNoEffect : kNotUnderstood,
                     .severity = open.is_error ? Severity::error : Severity::advice,
                     .where = open.where,
                     .stack = open.is_error && !report.stacks.empty() ? report.stacks.front().entry.name : "",
                     .lines = {open.text},
                     .fingerprint = open.text});
  for (const Allow& allow : report.expired)
    notes.push_back(note_of(allow, kExpired, Severity::error,
                            fmt::format("{}{} was allowed until {} ({}): mend the stack, or give a new date and the reason",
                                        allow.rule, where_of(allow), allow.until, allow.reason)));
  for (const Allow& allow : report.idle)
    notes.push_back(note_of(allow, kIdle, Severity::advice,
                            allow.covers > 0
                                ? fmt::format("the comment ignores {} ({}), but line {} has no such finding: remove the id",
                                              allow.rule, allow.reason, allow.covers)
                                : fmt::format("{}{} is allowed ({}), but nothing finds it any more: remove the entry",
                                              allow.rule, where_of(allow), allow.reason)));
  return notes;
}

namespace {

// Finds repeated notes: the stacks of one function of scanned code may have the same finding at the same call.
class FunctionNotes {
 public:
  explicit FunctionNotes(const ProjectReport& report) {
    for (const StackReport& one : report.stacks) functions_[one.entry.name] = place_of(report, one.entry);
  }

  // The index of the equal note that came before, else `next` and whether it is new.
  std::pair<std::size_t, bool> place(const ProjectNote& note, std::size_t next) {
    const Origin& function = functions_[note.stack];
    const auto [found, is_new] =
        seen_.try_emplace({note.rule, note.where.file, note.where.line, function.file, function.line}, next);
    return {found->second, is_new || note.stack.empty()};
  }

 private:
  std::map<std::string, Origin> functions_;
  std::map<std::tuple<std::string, std::string, int, std::string, int>, std::size_t> seen_;
};

}  // namespace

std::vector<ProjectNote> notes_once_a_function(const ProjectReport& report) {
  if (!report.of_code) return notes_of(report);
  FunctionNotes seen(report);
  std::vector<ProjectNote> kept;
  std::vector<int> stacks;
  for (ProjectNote& note : notes_of(report)) {
    const auto [at, is_new] = seen.place(note, kept.size());
    if (!is_new) {
      ++stacks[at];
      continue;
    }
    kept.push_back(std::move(note));
    stacks.push_back(1);
  }
  for (std::size_t at = 0; at < kept.size(); ++at)
    if (stacks[at] > 1) kept[at].lines.front() += fmt::format(" (in {} stacks of the function)", stacks[at]);
  return kept;
}

std::vector<AllowedNote> allowed_of(const ProjectReport& report) {
  FunctionNotes seen(report);
  std::vector<AllowedNote> kept;
  for (const StackReport& one : report.stacks)
    for (const AllowedNote& allowed : one.allowed)
      if (!report.of_code || seen.place(allowed.note, kept.size()).second) kept.push_back(allowed);
  return kept;
}

NotAsked not_asked_of(const ProjectReport& report) {
  NotAsked all;
  for (const StackReport& stack : report.stacks) {
    const NotAsked& one = stack.report.not_asked;
    all.by = one.by;
    all.findings.insert(all.findings.end(), one.findings.begin(), one.findings.end());
    for (const NotJudged& open : one.not_judged)
      if (std::ranges::count(all.not_judged, open.rule, &NotJudged::rule) == 0) all.not_judged.push_back(open);
  }
  return all;
}

std::string summary_of(const ProjectReport& report, const std::vector<ProjectNote>& notes) {
  const auto allowed = std::ssize(allowed_of(report));
  std::int64_t errors = 0, advice = 0, unknown = 0, open = 0, wrong_runs = 0;
  for (const ProjectNote& note : notes) {
    if (note.rule == kNotUnderstood)
      ++open;
    else if (note.rule == kWrongRun)
      ++wrong_runs;
    else if (note.rule.starts_with(kUnknownPrefix))
      ++unknown;
    else
      ++(note.severity == Severity::error ? errors : advice);
  }
  std::string text = report.of_code && report.stacks.empty()
                         ? "no stack found: nothing was judged" + std::string(errors > 0 || advice > 0 ? ", " : "")
                         : fmt::format("{}: ", counted(static_cast<std::int64_t>(report.stacks.size()), "stack"));
  if (errors > 0 || advice > 0)
    text += fmt::format("{}, {}", counted(errors, "error"), counted(advice, "advisory", "advisories"));
  else if (!report.stacks.empty() || !report.of_code)
    text += open > 0 || wrong_runs > 0 ? "undecided"
                                       : "nothing against them" + scope_in_words(!not_asked_of(report).by.empty(), true);
  if (unknown > 0) text += fmt::format(", {} that nothing is known of", counted(unknown, "transform"));
  if (wrong_runs > 0) text += fmt::format(", {} of them wrong when run", wrong_runs);
  if (open > 0) text += fmt::format(", {} not understood", counted(open, "call or file", "calls or files"));
  return text + (allowed == 0 ? "" : fmt::format(", {} allowed", counted(allowed, "finding")));
}

bool covers(const Allow& allow, const ProjectNote& note) {
  if (!is_about(allow, note.stack, note.rule)) return false;
  return allow.covers == 0 || (allow.file == note.where.file && allow.covers == note.where.line);
}

bool has_expired(const Allow& allow, std::string_view today) { return !allow.until.empty() && allow.until < today; }

const Allow* allowance_for(const Project& project, std::string_view stack, std::string_view rule, std::string_view today) {
  const Allow* expired = nullptr;
  for (const Allow& allow : project.allows) {
    if (!is_about(allow, stack, rule)) continue;
    if (!has_expired(allow, today)) return &allow;
    if (expired == nullptr) expired = &allow;
  }
  return expired;
}

}  // namespace ordercheck
