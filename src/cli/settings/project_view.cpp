#include "cli/settings/project_view.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/displayable.h"
#include "base/text.h"
#include "base/wording.h"
#include "cli/settings/project_notes.h"
#include "report/ci/junit.h"
#include "report/ci/sarif.h"
#include "rules/job.h"
#include "rules/load.h"
#include "rules/render.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

using Json = nlohmann::ordered_json;

// GitHub's escapes for the message of a workflow command.
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

// GitHub's escapes for a property of a workflow command.
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
  return {{"rule", allow.rule},
          {"stack", allow.stack},
          {"reason", displayable(allow.reason)},
          {"until", allow.until},
          {"line", allow.line}};
}

// A hint how to give the unknown sizes and degrees of a stack, in the project file or by options.
std::string way_to_give(const StackReport& one, const std::vector<std::string>& unknown, const char* sizes) {
  const bool is_code = !one.entry.file.empty();
  const auto is_given = [](const std::string& name) { return name == "ranks" || is_size(name); };
  std::vector<std::string> ways;
  if (std::ranges::any_of(unknown, is_given))
    ways.push_back(fmt::format("give them {}", is_code ? "with --set and --ranks" : sizes));
  if (!std::ranges::all_of(unknown, is_given))
    ways.emplace_back(is_code ? "degrees that the code leaves open stay unknown" : "write a degree after each transform");
  return join(ways, "; ");
}

struct Open {
  std::vector<std::string> rules, unknown;
};

Open open_of(const Report& report) {
  Open open;
  for (const NotJudged& rule : report.not_judged) {
    open.rules.push_back(fmt::format("{} ({})", rule.rule, join(rule.sizes, ", ")));
    open.unknown.insert(open.unknown.end(), rule.sizes.begin(), rule.sizes.end());
  }
  return open;
}

std::string shown(const Origin& where) {
  const std::string file = one_line(displayable(where.file));
  return where.line > 0 ? fmt::format("{}:{}", file, where.line) : file;
}

std::string line_of(const ProjectNote& note, const std::string& text) {
  return fmt::format("{}: {} {}: {}\n", shown(note.where), name_of(note.severity), note.rule, one_line(displayable(text)));
}

Json json_of(const Origin& where) { return {{"file", displayable(where.file)}, {"line", where.line}}; }

// One line per ignore comment with its number of findings, then one line per finding that an [[allow]] entry covers.
std::string allowed_text(const ProjectReport& report) {
  std::map<std::pair<std::string, int>, std::pair<int, std::string>> comments;
  std::string text;
  for (const auto& [note, by] : allowed_of(report)) {
    const std::string place = shown({.file = by.file, .line = by.line}), reason = one_line(displayable(by.reason));
    if (by.covers > 0) {
      auto& [findings, why] = comments[{by.file, by.line}];
      ++findings;
      why = fmt::format("suppressed by a comment at {}: {}\n", place, reason);
    } else {
      text += fmt::format("{}: allowed {} in {} until {}: {}\n", place, note.rule, one_line(displayable(note.stack)), by.until,
                          reason);
    }
  }
  std::string suppressed;
  for (const auto& [place, comment] : comments)
    suppressed += fmt::format("{} {}", counted(comment.first, "finding"), comment.second);
  return suppressed + text;
}

// What notes are about that are not about a rule page.
const std::vector<SarifOwnRule>& own_rules() {
  static const std::vector<SarifOwnRule> own{{.id = kExpired,
                                              .name = "An entry of .ordercheck.toml has expired",
                                              .help = "Mend the stack, or give the entry a new date and the reason for it."},
                                             {.id = kIdle,
                                              .name = "An entry of .ordercheck.toml or a comment allows what nothing finds",
                                              .help = "Remove it: it would hide the next finding of the same rule."},
                                             {.id = kWrongRun,
                                              .name = "A recorded run of the stack was wrong, and no rule says why",
                                              .help = "Run the stack: `ordercheck run` says what is wrong."},
                                             {.id = kNoEffect,
                                              .name = "A call without effect, or one that the project refuses",
                                              .help = "Mend the call: what it asks for is not in the model that is trained."},
                                             {.id = kNotUnderstood,
                                              .name = "A call that may apply a transform was not followed",
                                              .help = "Read the call: nothing that it applies was judged."}};
  return own;
}

std::string title_of(const ProjectNote& note, const std::vector<Rule>& rules) {
  if (const Rule* page = find_rule(rules, note.rule)) return page->title;
  const auto own = std::ranges::find(own_rules(), note.rule, &SarifOwnRule::id);
  return own == own_rules().end() ? note.lines.front() : own->name;
}

// The last lines: what was not asked, then the counts.
std::string end_of(const ProjectReport& report, const std::vector<ProjectNote>& notes) {
  const std::string left_out = in_words(not_asked_of(report));
  return (left_out.empty() ? "" : left_out + "\n") + summary_of(report, notes) + "\n";
}

}  // namespace

std::string render_project_briefly(const ProjectReport& report) {
  std::string text;
  for (const StackReport& one : report.stacks)
    text += fmt::format("{}: {}", one_line(displayable(one.entry.name)), render_text(one.report, false, Detail::line));
  const std::vector<ProjectNote> notes = notes_of(report);
  for (const ProjectNote& note : notes)
    if (note.stack.empty()) text += line_of(note, message_of(note));
  return text + end_of(report, notes);
}

std::string render_project_text(const ProjectReport& report) {
  std::string text;
  const std::vector<ProjectNote> notes = notes_of(report);
  for (const ProjectNote& note : notes) text += line_of(note, message_of(note));
  text += allowed_text(report);
  for (const StackReport& one : report.stacks) {
    if (one.report.repaired) text += fmt::format("{}: repaired: {}\n", one_line(one.entry.name), print(*one.report.repaired));
    if (const Open open = open_of(one.report); !open.rules.empty())
      text += fmt::format("{}: not judged, sizes unknown: {}; {}\n", one_line(one.entry.name), join(open.rules, ", "),
                          way_to_give(one, open.unknown, "in sizes = { ... }"));
  }
  return text + end_of(report, notes);
}

std::string render_project_concise(const ProjectReport& report) {
  std::string text;
  const std::vector<ProjectNote> notes = notes_once_a_function(report);
  for (const ProjectNote& note : notes) {
    const std::string stack = note.stack + ": ";
    std::string_view headline = note.lines.front();
    if (!note.stack.empty() && headline.starts_with(stack)) headline.remove_prefix(stack.size());
    // Reports know no columns; editors want one.
    const std::string place = note.where.file.empty() ? one_line(displayable(note.stack))
                              : note.where.line > 0   ? shown(note.where) + ":1"
                                                      : shown(note.where);
    text += fmt::format("{}: {} {}: {}\n", place, note.rule, name_of(note.severity), one_line(displayable(headline)));
  }
  return text + allowed_text(report) + end_of(report, notes);
}

std::string render_project_statistics(const ProjectReport& report, const std::vector<Rule>& rules) {
  const std::vector<ProjectNote> notes = notes_once_a_function(report);
  std::map<std::pair<std::string, Severity>, std::pair<int, std::string>> counts;
  for (const ProjectNote& note : notes) {
    auto& [count, title] = counts[{note.rule, note.severity}];
    ++count;
    title = one_line(displayable(title_of(note, rules)));
  }
  std::vector<std::pair<int, std::vector<std::string>>> rows;
  for (const auto& [rule, counted] : counts)
    rows.push_back({counted.first, {std::to_string(counted.first), rule.first, name_of(rule.second), counted.second}});
  std::ranges::stable_sort(rows, std::greater<>{}, [](const auto& row) { return row.first; });
  std::vector<std::vector<std::string>> cells;
  for (auto& [count, row] : rows) cells.push_back(std::move(row));
  return in_columns(cells) + allowed_text(report) + end_of(report, notes);
}

std::string render_code_text(const ProjectReport& report) {
  std::string text;
  const std::vector<ProjectNote> notes = notes_once_a_function(report);
  for (const ProjectNote& note : notes) {
    if (note.rule == kNotUnderstood) {
      text += fmt::format("{}: {}\n", shown(note.where), one_line(displayable(note.lines.front())));
      continue;
    }
    text += line_of(note, note.lines.front());
    for (std::size_t at = 1; at < note.lines.size(); ++at) text += "  " + one_line(displayable(note.lines[at])) + "\n";
  }
  text += allowed_text(report);
  std::set<std::string> unknown;
  const StackReport* of = nullptr;
  for (const StackReport& one : report.stacks) {
    const std::vector<std::string> sizes = open_of(one.report).unknown;
    unknown.insert(sizes.begin(), sizes.end());
    if (!sizes.empty()) of = &one;
  }
  if (of != nullptr) {
    const std::vector<std::string> names(unknown.begin(), unknown.end());
    text += fmt::format("rules about sizes were not judged: {} unknown; {}\n", join(names, ", "), way_to_give(*of, names, ""));
  }
  return text + end_of(report, notes);
}

std::string render_project_json(const ProjectReport& report) {
  Json stacks = Json::array(), expired = Json::array(), idle = Json::array();
  // A stack is not known to be legal if an entry allows an error, or accepts what is undecided.
  const auto report_of = [](const StackReport& one) {
    Json made = Json::parse(render_json(one.report));
    const auto leaves_open = [](const AllowedNote& allowed) {
      const ProjectNote& note = allowed.note;
      return note.severity == Severity::error || note.rule == kWrongRun || note.rule.starts_with(kUnknownPrefix);
    };
    if (made["legal"] == true && std::ranges::any_of(one.allowed, leaves_open)) made["legal"] = nullptr;
    return made;
  };
  // The entries of a project file are all in that file.
  const auto entry_of = [&](const Allow& allow) {
    Json entry = json_of(allow);
    if (report.of_code) entry["file"] = displayable(allow.file);
    return entry;
  };
  for (const StackReport& one : report.stacks) {
    Json allowed = Json::array();
    for (const AllowedNote& found : one.allowed) allowed.push_back(entry_of(found.by));
    if (report.of_code) {
      Json items = Json::array();
      for (const Item& item : one.report.stack.items) items.push_back(json_of(item.origin));
      stacks.push_back({{"name", displayable(one.entry.name)},
                        {"function", json_of(place_of(report, one.entry))},
                        {"items", items},
                        {"allowed", allowed},
                        {"report", report_of(one)}});
      continue;
    }
    stacks.push_back({{"name", one.entry.name},
                      {"line", one.entry.line},
                      {"model", one.entry.run.model},
                      {"apply", one.entry.run.apply},
                      {"allowed", allowed},
                      {"report", report_of(one)}});
  }
  for (const Allow& allow : report.expired) expired.push_back(entry_of(allow));
  for (const Allow& allow : report.idle) idle.push_back(entry_of(allow));
  if (report.of_code) {
    Json open = Json::array();
    for (const OpenPlace& place : report.open)
      open.push_back({{"text", displayable(place.text)}, {"where", json_of(place.where)}});
    return Json{{"schema", "ordercheck/check-code/1"},
                {"path", displayable(report.path)},
                {"stacks", stacks},
                {"not_understood", open},
                {"idle", idle},
                {"errors", errors_of(report)},
                {"advice", advice_of(report)}}
               .dump(2) +
           "\n";
  }
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
  if (std::string left_out = in_words(not_asked_of(report)); !left_out.empty())
    suite.properties.emplace_back("not_asked", std::move(left_out));
  const std::vector<ProjectNote> notes = notes_of(report);
  for (const StackReport& one : report.stacks) {
    const std::string own = in_repository(report, place_of(report, one.entry));
    TestCase made{.name = one.entry.name, .file = own, .line = own.empty() ? 0 : one.entry.line};
    for (const ProjectNote& note : notes) {
      if (note.stack != one.entry.name) continue;
      made.detail += fmt::format("{} {}: {}\n", name_of(note.severity), note.rule, message_of(note));
      if (note.severity != Severity::error) continue;
      if (made.end == TestEnd::passed) made.message = fmt::format("{}: {}", note.rule, message_of(note));
      made.end = TestEnd::failed;
    }
    for (const auto& [note, by] : one.allowed)
      made.detail += fmt::format("allowed {}: {} ({}:{})\n", note.rule, by.reason, by.file, by.line);
    if (made.end == TestEnd::passed && (!one.report.unknown.empty() || one.report.ran_wrong)) {
      made.end = TestEnd::skipped;
      made.message = one.report.ran_wrong ? one.report.seen : in_words(one.report.unknown.front(), one.report.target);
    }
    suite.cases.push_back(made);
  }
  for (const ProjectNote& note : notes)
    if (note.rule == kNotUnderstood)
      suite.cases.push_back({.name = fmt::format("{}: {}", shown(note.where), message_of(note)),
                             .end = TestEnd::skipped,
                             .message = message_of(note),
                             .detail = "",
                             .file = in_repository(report, note.where),
                             .line = note.where.line});
  for (const ProjectNote& note : notes)
    if (note.rule == kExpired)
      suite.cases.push_back({.name = "allow " + note.fingerprint,
                             .end = TestEnd::failed,
                             .message = message_of(note),
                             .detail = "",
                             .file = file,
                             .line = note.where.line});
  return render_junit({suite});
}

std::string render_project_sarif(const ProjectReport& report, const std::vector<Rule>& rules, const std::string& version) {
  SarifLog log;
  const auto add = [&](const ProjectNote& note, const std::string& suppressed) {
    log.results.push_back({.rule = note.rule,
                           .level = note.severity == Severity::error ? SarifLevel::error
                                    : note.rule == kNotUnderstood    ? SarifLevel::note
                                                                     : SarifLevel::warning,
                           .message = message_of(note),
                           .file = in_repository(report, note.where),
                           .line = note.where.line,
                           .stack = note.stack,
                           .fingerprint = note.fingerprint,
                           .suppressed = suppressed});
  };
  for (const ProjectNote& note : notes_once_a_function(report)) add(note, "");
  // GitHub opens an alert for a suppressed result too, so only comments, which SARIF calls inSource, add one.
  for (const auto& [note, by] : allowed_of(report))
    if (by.covers > 0) add(note, by.reason);
  // A rule that was not judged found nothing, so it is a notification of the run instead of a result.
  for (const StackReport& one : report.stacks)
    if (const Open open = open_of(one.report); !open.rules.empty())
      log.remarks.push_back(fmt::format(
          "{}: not judged, sizes unknown: {}; {}", one.entry.name, join(open.rules, ", "),
          way_to_give(one, open.unknown, report.from_repository.empty() ? "with --set" : "in the sizes of the stack")));
  if (std::string left_out = in_words(not_asked_of(report)); !left_out.empty()) log.remarks.push_back(std::move(left_out));
  return render_sarif(log, rules, own_rules(), version);
}

std::string render_project_github(const ProjectReport& report) {
  std::string text;
  const std::vector<ProjectNote> notes = notes_once_a_function(report);
  for (const ProjectNote& note : notes) {
    const std::string file = in_repository(report, note.where);
    const std::string where = file.empty() ? "" : fmt::format("file={},line={},", escaped_property(file), note.where.line);
    text += fmt::format("::{} {}title={}::{}\n", note.severity == Severity::error ? "error" : "warning", where,
                        escaped_property("ordercheck " + note.rule), escaped_data(message_of(note)));
  }
  return text + allowed_text(report) + end_of(report, notes);
}

}  // namespace ordercheck
