#include "project/project_view.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/displayable.h"
#include "base/text.h"
#include "base/wording.h"
#include "check/render.h"
#include "report/ci/junit.h"
#include "report/ci/sarif.h"
#include "rule/job.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

using Json = nlohmann::ordered_json;

// One thing to tell at a line of the file, whatever the format.
struct Note {
  std::string rule;
  Severity severity = Severity::error;
  Origin where;       // as a terminal here would open it
  std::string stack;  // the stack's name, "" of an entry
  std::string message;
  std::string fingerprint;
};

constexpr const char* kExpired = "expired-allow";
constexpr const char* kIdle = "idle-allow";

std::string try_text(const Finding& finding) {
  return finding.tries.empty() ? ""
                               : fmt::format("; try {} [{}]", print(finding.tries.front().stack), finding.tries.front().seen);
}

Origin place_of(const ProjectReport& report, const ProjectStack& entry) {
  return {.file = entry.file.empty() ? report.path : entry.file, .line = entry.line};
}

// Of code, the call that comes last of those that are at odds; else where the stack is written.
Origin place_of(const ProjectReport& report, const StackReport& one, const std::vector<std::size_t>& items) {
  if (items.empty() || items.back() >= one.report.stack.items.size()) return place_of(report, one.entry);
  const Origin& origin = one.report.stack.items[items.back()].origin;
  return report.code.contains(origin.file) ? origin : place_of(report, one.entry);
}

// As what reads a report elsewhere counts it.
std::string in_repository(const ProjectReport& report, const Origin& where) {
  const auto code = report.code.find(where.file);
  return code == report.code.end() ? report.from_repository : code->second;
}

Note note_of(const ProjectReport& whole, const StackReport& one, const Finding& finding) {
  const ProjectStack& entry = one.entry;
  std::vector<std::size_t> items;
  for (const Party& party : finding.parties) items.push_back(party.index);
  std::string parties;
  for (const Party& party : finding.parties) parties += " " + party.text;
  return {
      .rule = finding.rule,
      .severity = finding.severity,
      .where = place_of(whole, one, items),
      .stack = entry.name,
      .message = fmt::format("{}: {}; {}: {}{}", entry.name, finding.headline, finding.instead, finding.why, try_text(finding)),
      .fingerprint = entry.name + parties};
}

Note note_of(const ProjectReport& whole, const StackReport& one, const Unknown& unknown) {
  const ProjectStack& entry = one.entry;
  std::vector<std::size_t> items;
  for (std::size_t at = 0; at < one.report.stack.items.size(); ++at)
    if (one.report.stack.items[at].name == unknown.transform) items.push_back(at);
  return {.rule = id_of(unknown),
          .severity = Severity::advice,
          .where = place_of(whole, one, items),
          .stack = entry.name,
          .message = fmt::format("{}: {}", entry.name, in_words(unknown, one.report.target)),
          .fingerprint = fmt::format("{} {}", entry.name, unknown.transform)};
}

std::string where_of(const Allow& allow) { return allow.stack.empty() ? "" : " in " + allow.stack; }

std::vector<Note> notes_of(const ProjectReport& report) {
  std::vector<Note> notes;
  for (const StackReport& one : report.stacks) {
    for (const Finding& finding : one.report.findings) notes.push_back(note_of(report, one, finding));
    for (const Unknown& unknown : one.report.unknown) notes.push_back(note_of(report, one, unknown));
  }
  for (const Allow& allow : report.expired)
    notes.push_back({.rule = kExpired,
                     .severity = Severity::error,
                     .where = {.file = report.path, .line = allow.line},
                     .stack = "",
                     .message = fmt::format("{}{} was allowed until {} ({}): mend the stack, or give a new date and the reason",
                                            allow.rule, where_of(allow), allow.until, allow.reason),
                     .fingerprint = allow.rule + where_of(allow)});
  for (const Allow& allow : report.idle)
    notes.push_back({.rule = kIdle,
                     .severity = Severity::advice,
                     .where = {.file = report.path, .line = allow.line},
                     .stack = "",
                     .message = fmt::format("{}{} is allowed ({}), but nothing finds it any more: remove the entry", allow.rule,
                                            where_of(allow), allow.reason),
                     .fingerprint = allow.rule + where_of(allow)});
  return notes;
}

std::string summary_of(const ProjectReport& report) {
  const int errors = errors_of(report), advice = advice_of(report), unknown = unknown_of(report);
  std::size_t allowed = 0;
  for (const StackReport& one : report.stacks) allowed += one.allowed.size();
  std::string text = fmt::format("{}: ", counted(static_cast<std::int64_t>(report.stacks.size()), "stack"));
  text += errors == 0 && advice == 0
              ? "nothing against them in what could be judged"
              : fmt::format("{}, {}", counted(errors, "error"), counted(advice, "advisory", "advisories"));
  if (unknown > 0) text += fmt::format(", {} that nothing is known of", counted(unknown, "transform"));
  return text + (allowed == 0 ? "" : fmt::format(", {} allowed", counted(static_cast<std::int64_t>(allowed), "finding")));
}

std::string escaped_data(std::string_view text) {
  std::string made;
  for (const char c : displayable(text)) {
    if (c == '%')
      made += "%25";
    else if (c == '\n')
      made += "%0A";
    else
      made += c;
  }
  return made;
}

std::string escaped_property(std::string_view text) {
  std::string made;
  for (const char c : escaped_data(text)) {
    if (c == ':')
      made += "%3A";
    else if (c == ',')
      made += "%2C";
    else
      made += c;
  }
  return made;
}

Json json_of(const Allow& allow) {
  return {{"rule", allow.rule}, {"stack", allow.stack}, {"reason", allow.reason}, {"until", allow.until}, {"line", allow.line}};
}

// How what is open of a stack can be told: its sizes, and the degrees that it does not say.
std::string way_to_give(const StackReport& one, const std::vector<std::string>& unknown, const char* sizes) {
  const bool is_code = !one.entry.file.empty();
  const auto is_given = [](const std::string& name) { return name == "ranks" || is_size(name); };
  std::vector<std::string> ways;
  if (std::ranges::any_of(unknown, is_given))
    ways.push_back(fmt::format("give them {}", is_code ? "with --set and --world" : sizes));
  if (!std::ranges::all_of(unknown, is_given))
    ways.emplace_back(is_code ? "degrees that the code leaves open stay unknown" : "write a degree behind each transform");
  return join(ways, "; ");
}

Json json_of(const Origin& where) { return {{"file", displayable(where.file)}, {"line", where.line}}; }

}  // namespace

std::string render_project_text(const ProjectReport& report) {
  std::string text;
  for (const Note& note : notes_of(report))
    text += fmt::format("{}:{}: {} {}: {}\n", one_line(displayable(note.where.file)), note.where.line, name_of(note.severity),
                        note.rule, one_line(displayable(note.message)));
  for (const StackReport& one : report.stacks) {
    for (const AllowedFinding& allowed : one.allowed)
      text += fmt::format("{}:{}: allowed {} in {} until {}: {}\n", report.path, allowed.by.line, allowed.finding.rule,
                          one.entry.name, allowed.by.until, one_line(displayable(allowed.by.reason)));
    if (one.report.repaired) text += fmt::format("{}: repaired: {}\n", one_line(one.entry.name), print(*one.report.repaired));
    std::vector<std::string> open, unknown;
    for (const NotJudged& rule : one.report.not_judged) {
      open.push_back(fmt::format("{} ({})", rule.rule, join(rule.sizes, ", ")));
      unknown.insert(unknown.end(), rule.sizes.begin(), rule.sizes.end());
    }
    if (!open.empty())
      text += fmt::format("{}: not judged, sizes unknown: {}; {}\n", one_line(one.entry.name), join(open, ", "),
                          way_to_give(one, unknown, "in sizes = { ... }"));
  }
  return text + summary_of(report) + "\n";
}

std::string render_project_json(const ProjectReport& report) {
  Json stacks = Json::array(), expired = Json::array(), idle = Json::array();
  for (const StackReport& one : report.stacks) {
    Json allowed = Json::array();
    for (const AllowedFinding& found : one.allowed) allowed.push_back(json_of(found.by));
    if (report.of_code) {
      Json items = Json::array();
      for (const Item& item : one.report.stack.items) items.push_back(json_of(item.origin));
      stacks.push_back({{"name", displayable(one.entry.name)},
                        {"function", json_of(place_of(report, one.entry))},
                        {"items", items},
                        {"report", Json::parse(render_json(one.report))}});
      continue;
    }
    stacks.push_back({{"name", one.entry.name},
                      {"line", one.entry.line},
                      {"model", one.entry.run.model},
                      {"apply", one.entry.run.apply},
                      {"allowed", allowed},
                      {"report", Json::parse(render_json(one.report))}});
  }
  if (report.of_code)
    return Json{{"schema", "ordercheck/check-code/1"},
                {"path", displayable(report.path)},
                {"stacks", stacks},
                {"errors", errors_of(report)},
                {"advice", advice_of(report)}}
               .dump(2) +
           "\n";
  for (const Allow& allow : report.expired) expired.push_back(json_of(allow));
  for (const Allow& allow : report.idle) idle.push_back(json_of(allow));
  return Json{{"schema", "ordercheck/check-project/1"},
              {"file", report.path},
              {"stacks", stacks},
              {"expired", expired},
              {"idle", idle},
              {"errors", errors_of(report)},
              {"advice", advice_of(report)}}
             .dump(2) +
         "\n";
}

std::string render_project_junit(const ProjectReport& report) {
  const std::string file = report.from_repository;
  TestSuite suite{.name = file.empty() ? "ordercheck" : file, .properties = {}, .cases = {}};
  const std::vector<Note> notes = notes_of(report);
  for (const StackReport& one : report.stacks) {
    const std::string own = in_repository(report, place_of(report, one.entry));
    TestCase made{.name = one.entry.name, .file = own, .line = own.empty() ? 0 : one.entry.line};
    for (const Note& note : notes) {
      if (note.stack != one.entry.name) continue;
      made.detail += fmt::format("{} {}: {}\n", name_of(note.severity), note.rule, note.message);
      if (note.severity != Severity::error) continue;
      if (made.end == TestEnd::passed) made.message = fmt::format("{}: {}", note.rule, note.message);
      made.end = TestEnd::failed;
    }
    if (made.end == TestEnd::passed && !one.report.unknown.empty()) {
      made.end = TestEnd::skipped;
      made.message = in_words(one.report.unknown.front(), one.report.target);
    }
    suite.cases.push_back(made);
  }
  for (const Note& note : notes)
    if (note.rule == kExpired)
      suite.cases.push_back({.name = "allow " + note.fingerprint,
                             .end = TestEnd::failed,
                             .message = note.message,
                             .detail = "",
                             .file = file,
                             .line = note.where.line});
  return render_junit({suite});
}

std::string render_project_sarif(const ProjectReport& report, const std::vector<Rule>& rules, const std::string& version) {
  SarifLog log;
  for (const Note& note : notes_of(report))
    log.results.push_back({.rule = note.rule,
                           .level = note.severity == Severity::error ? SarifLevel::error : SarifLevel::warning,
                           .message = note.message,
                           .file = in_repository(report, note.where),
                           .line = note.where.line,
                           .stack = note.stack,
                           .fingerprint = note.fingerprint});
  // No findings, and no silence either: code scanning lists notes apart.
  for (const StackReport& one : report.stacks)
    for (const NotJudged& open : one.report.not_judged)
      log.results.push_back(
          {.rule = open.rule,
           .level = SarifLevel::note,
           .message = fmt::format(
               "{}: not judged, sizes unknown: {}; {}", one.entry.name, join(open.sizes, ", "),
               way_to_give(one, open.sizes, report.from_repository.empty() ? "with --set" : "in the sizes of the stack")),
           .file = in_repository(report, place_of(report, one.entry)),
           .line = one.entry.line,
           .stack = one.entry.name,
           .fingerprint = one.entry.name});
  const std::vector<SarifOwnRule> own{{.id = kExpired,
                                       .name = "An entry of .ordercheck.toml allows something whose last day is over",
                                       .help = "Mend the stack, or give the entry a new date and the reason for it."},
                                      {.id = kIdle,
                                       .name = "An entry of .ordercheck.toml allows what nothing finds any more",
                                       .help = "Remove the entry: it would hide the next finding of the same rule."}};
  return render_sarif(log, rules, own, version);
}

std::string render_project_github(const ProjectReport& report) {
  std::string text;
  for (const Note& note : notes_of(report)) {
    const std::string file = in_repository(report, note.where);
    const std::string where = file.empty() ? "" : fmt::format("file={},line={},", escaped_property(file), note.where.line);
    text += fmt::format("::{} {}title={}::{}\n", note.severity == Severity::error ? "error" : "warning", where,
                        escaped_property("ordercheck " + note.rule), escaped_data(note.message));
  }
  return text + escaped_data(summary_of(report)) + "\n";
}

}  // namespace ordercheck
