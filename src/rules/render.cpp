#include "rules/render.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/wording.h"
#include "rules/cure.h"
#include "rules/glossary.h"
#include "rules/item_matching.h"
#include "rules/job.h"
#include "rules/orders.h"
#include "rules/pair_answer.h"
#include "rules/prediction.h"
#include "stack/notation.h"
#include "stack/stack.h"
#include "stack/trainer.h"

namespace ordercheck {
namespace {

constexpr std::ptrdiff_t kScreen = 20;     // lines of findings
constexpr std::size_t kMostOnAScreen = 8;  // with two lines each

std::string paint(const std::string& text, const char* code, bool colour) {
  return colour ? fmt::format("\033[{}m{}\033[0m", code, text) : text;
}

std::string row(const std::string& label, const std::string& text) { return labelled(2, label, 12, text); }

// The finding's items with their positions, and file and line if the stack came from a file: "tp=2 (2nd, train.yaml:5)".
std::string written(const Finding& finding, const Stack& whole) {
  std::vector<std::string> parts;
  for (const Party& party : finding.parties) {
    const std::string place = party.index < whole.items.size() ? in_words(whole.items[party.index].origin) : "";
    parts.push_back(fmt::format("{} ({}{}{})", party.text, ordinal(party.index), place.empty() ? "" : ", ", place));
  }
  return parts.empty() ? "this mesh" : join(parts, " then ");
}

// One line per suggested stack: what it changes, unless it only reorders items, and the result of its committed run.
std::string render(const std::vector<Try>& tries, const Stack& whole, bool colour) {
  std::string text;
  std::size_t width = 0;
  for (const Try& one : tries) width = std::max(width, print(one.stack).size());
  for (const Try& one : tries) {
    const std::string stack = print(one.stack), change = change_in_words(whole, one.stack);
    text += row(text.empty() ? "try" : "or",
                fmt::format("{}{}  {}[{}]", paint(stack, "32", colour), std::string(width - stack.size(), ' '),
                            change.empty() ? "" : change + " ", one.seen));
  }
  return text;
}

std::string headline(const Finding& finding, bool colour) {
  const bool error = finding.severity == Severity::error;
  return fmt::format("{} {} ({}{}): {}\n", paint(finding.rule, "1", colour),
                     paint(name_of(finding.severity), error ? "1;31" : "1;33", colour), print(finding.grade),
                     finding.about.empty() ? "" : "; about " + finding.about, paint(finding.headline, "1", colour));
}

std::string verb_of(const Finding& finding) {
  const Grade& grade = finding.grade;
  const std::string on = grade.on.empty() ? "" : " on " + grade.on;
  if (finding.shows_run) return "shows";
  if (grade.kind == GradeKind::refuted) return "does not show" + on;
  if (grade.kind == GradeKind::stale) return "no longer shows" + on;
  return finding.about.empty() ? "shows" : "is said to show there";
}

std::string reason(const Finding& finding) {
  return row("but", fmt::format("{}: {} {}", finding.instead, finding.why, cited_briefly(finding.citation)));
}

// The line with the program edits for the finding's first suggested stack; "" if that is the repaired stack, whose edits are
// printed once after it.
std::string edits_of(const Finding& finding, const Report& report) {
  if (finding.tries.empty() || finding.tries.front().stack == report.repaired) return "";
  return row(fmt::format("in {}", kEditsAreIn), join(program_edits(report.stack, finding.tries.front().stack), "; "));
}

std::string render(const Finding& finding, const Report& report, bool colour) {
  std::string text = headline(finding, colour);
  text += row("you wrote", written(finding, report.stack));
  text += reason(finding);
  const std::string smallest = print(finding.smallest);
  text +=
      row("smallest", fmt::format("{:<22} {}: {}", smallest.empty() ? "(nothing)" : smallest, verb_of(finding), finding.shows));
  text += render(finding.tries, report.stack, colour) + edits_of(finding, report);
  return text + row("also", join(finding.also, ", "));
}

// Two lines per finding, then each cure other than the repaired stack once, then the ids of what does not fit.
std::string render_briefly(const Report& report, bool colour) {
  std::string text;
  std::vector<std::string> beyond;
  std::vector<std::pair<std::string, std::vector<std::string>>> cures;  // a stack to try, and the rules that it fixes
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    const Finding& finding = report.findings[i];
    if (i >= kMostOnAScreen) {
      if (!contains(beyond, finding.rule)) beyond.push_back(finding.rule);
      continue;
    }
    text += headline(finding, colour) + reason(finding);
    if (finding.tries.empty() || finding.tries.front().stack == report.repaired) continue;
    const std::string stack = fmt::format("{}  [{}]", print(finding.tries.front().stack), finding.tries.front().seen);
    auto cure = std::ranges::find(cures, stack, &decltype(cures)::value_type::first);
    if (cure == cures.end()) cure = cures.insert(cures.end(), {stack, {}});
    if (!contains(cure->second, finding.rule)) cure->second.push_back(finding.rule);
  }
  for (const auto& [stack, rules] : cures) text += fmt::format("Against {} alone: try {}\n", join(rules, ", "), stack);
  if (!beyond.empty()) text += fmt::format("And {}. --verbose prints each in full.\n", join(beyond, ", "));
  return text;
}

std::string render_findings(const Report& report, bool colour, Detail detail) {
  std::string text;
  for (const Finding& finding : report.findings) text += render(finding, report, colour);
  const bool fits = std::ranges::count(text, '\n') <= kScreen;
  return fits || detail == Detail::all ? text : render_briefly(report, colour);
}

// The smallest conflict. For contradicting order rules, lists together the rules that no order can satisfy, as Elle reports
// anomalies.
std::string render(const Conflict& conflict) {
  const std::string part = print(conflict.stack);
  if (conflict.no_order)
    return fmt::format("However {} is ordered, {} cannot all be kept: a contradiction.\n", part, join(conflict.rules, " and "));
  return fmt::format("Smallest conflict in it: {} ({}).\n", part, join(conflict.rules, ", "));
}

// The line that lists rules that were not evaluated because of unknown sizes, and the options that give the sizes.
std::string render(const std::vector<NotJudged>& open) {
  std::vector<std::string> rules, sizes, ways;
  bool model = false, ranks = false, degrees = false;
  for (const NotJudged& one : open) {
    rules.push_back(fmt::format("{} ({})", one.rule, join(one.sizes, ", ")));
    for (const std::string& size : one.sizes) {
      if (size == "ranks")
        ranks = true;
      else if (!is_size(size))
        degrees = true;
      else if (!contains(sizes, size + "=N"))
        sizes.push_back(size + "=N");
      model = model || contains(model_size_names(), size);
    }
  }
  if (!sizes.empty()) ways.push_back("--set " + join(sizes, ","));
  if (model) ways.push_back("--config config.json of the model");
  std::string how = join(ways, " or ");
  const auto also = [&how](const char* way) { how += std::string(how.empty() ? "" : ", and ") + way; };
  if (degrees) also("a degree after each transform");
  if (ranks) also("--ranks N");
  return fmt::format("Not judged, sizes unknown: {}. Give them with {}.\n", join(rules, ", "), how);
}

// Clipping gets its own line. It is no finding, because a stack need not say how it is trained.
std::string render(const TrainerAdvice& one) {
  return fmt::format("Clipping: {}with {} ({}) {} shows: {}.\n", one.needs.empty() ? "" : one.needs + "; ", kStockClipping,
                     print(with_clipping({}, kUsualThreshold)), one.rule, one.shows);
}

// "FIT-002 (error), EFF-009 (advice)", each rule once.
std::string rules_in_words(const std::vector<Finding>& findings) {
  std::vector<std::string> rules;
  for (const Finding& finding : findings)
    if (const std::string rule = fmt::format("{} ({})", finding.rule, name_of(finding.severity)); !contains(rules, rule))
      rules.push_back(rule);
  return join(rules, ", ");
}

std::string verdict_of(const Report& report) {
  std::string counts =
      in_words(Counts{.errors = count_of(report, Severity::error), .advice = count_of(report, Severity::advice)});
  if (!counts.empty()) return counts;
  const bool is_judged = report.not_judged.empty() && report.unknown.empty();
  const std::string judged = scope_in_words(!report.not_asked.by.empty(), !is_judged);
  return report.ran_wrong ? "No rule is against it" + judged + ", but its run is" : "Nothing against it" + judged;
}

std::string one_line_of(const Report& report) {
  std::vector<std::string> rules, unknown;
  for (const Finding& finding : report.findings)
    if (!contains(rules, finding.rule)) rules.push_back(finding.rule);
  for (const Unknown& one : report.unknown) unknown.push_back(one.transform);
  std::string text = verdict_of(report);
  if (!rules.empty()) text += ": " + join(rules, ", ");
  if (report.repaired) text += "; repaired: " + print(*report.repaired);
  if (!unknown.empty()) text += "; nothing is known of " + join(unknown, ", ");
  if (!report.not_asked.findings.empty()) text += "; not asked: " + rules_in_words(report.not_asked.findings);
  return fmt::format("{} ({})\n", text, print(report.target));
}

std::string render_repaired(const Report& report, bool colour) {
  const std::string change = change_in_words(report.stack, *report.repaired);
  const std::string edits = join(program_edits(report.stack, *report.repaired), "; ");
  return fmt::format("Repaired: {}{}\n{}", paint(print(*report.repaired), "32", colour),
                     change.empty() ? "" : fmt::format(" ({})", change),
                     edits.empty() ? "" : fmt::format("In {}: {}.\n", kEditsAreIn, edits));
}

}  // namespace

std::string in_words(const NotAsked& left_out) {
  if (left_out.by.empty()) return "";
  const std::string rules = rules_in_words(left_out.findings);
  const auto open = std::ssize(left_out.not_judged);
  return fmt::format("Not asked ({}): {}{}.", left_out.by, rules.empty() ? "no finding" : rules,
                     open == 0 ? "" : fmt::format("; {} not judged", counted(open, "rule")));
}

std::string scope_in_words(bool is_selected, bool is_open) {
  if (is_selected) return is_open ? " in what was asked and could be judged" : " in what was asked";
  return is_open ? " in what could be judged" : "";
}

std::string in_words(const Counts& counts) {
  std::vector<std::string> parts;
  if (counts.errors > 0) parts.push_back(counted(counts.errors, "error"));
  if (counts.advice > 0) parts.push_back(counted(counts.advice, "advisory", "advisories"));
  return join(parts, ", ");
}

std::string ordinal(std::size_t index) {
  const std::size_t place = index + 1;
  const bool teen = place % 100 >= 11 && place % 100 <= 13;
  const char* ending = teen ? "th" : place % 10 == 1 ? "st" : place % 10 == 2 ? "nd" : place % 10 == 3 ? "rd" : "th";
  return fmt::format("{}{}", place, ending);
}

std::string in_words(const Unknown& one, const Target& target) {
  std::vector<std::string> found;
  for (const FoundElsewhere& there : one.elsewhere) {
    const std::string counts = in_words(there.counts);
    found.push_back(fmt::format("{}: {}", print(there.target), counts.empty() ? "nothing against it" : counts));
  }
  return fmt::format("Nothing is known of {} on {}: no run there has it.{}", one.transform, print(target),
                     found.empty() ? "" : " " + join(found, "; ") + ".");
}

std::string render_text(const Report& report, bool colour, Detail detail) {
  if (detail == Detail::line) return one_line_of(report);
  std::string text = render_findings(report, colour, detail);
  if (!report.seen.empty()) text += fmt::format("As a whole: {}.\n", report.seen);
  if (report.conflict && (report.conflict->no_order || report.conflict->stack != report.stack))
    text += render(*report.conflict);
  if (report.repaired) text += render_repaired(report, colour);
  for (const Unknown& one : report.unknown) text += in_words(one, report.target) + "\n";
  text += verdict_of(report) + ".";
  if (!report.findings.empty()) text += fmt::format(" ordercheck explain {} prints the rule.", report.findings.front().rule);
  const std::string known =
      report.newest_run ? fmt::format(", of which nothing was run: {} is the newest", print(*report.newest_run))
      : report.target_assumed && names_a_release(*report.target.version) ? ", the newest that the rules know"
                                                                         : "";
  text += fmt::format(" Judged for {}{}.\n", print(report.target), known);
  for (const TrainerAdvice& one : report.trainer) text += render(one);
  if (!report.not_judged.empty()) text += render(report.not_judged);
  if (const std::string left_out = in_words(report.not_asked); !left_out.empty()) text += left_out + "\n";
  return text;
}

namespace {

std::string page_text(const Rule& rule, const Judge& judge) {
  const bool commutes = rule.kind == RuleKind::commutes;
  std::string text = fmt::format("  {} {}, {} ({}): {}\n", rule.id, name_of(rule.basis),
                                 commutes ? "no harm" : name_of(rule.harm), print(judge.grade(rule)), reason_of(rule));
  for (const Citation& cite : rule.citations)
    text += fmt::format("    {} {} {}\n", name_of(cite.says), cited_briefly(cite), cite.claim);
  return text;
}

std::string order_text(const Item& before, const Item& after, const std::vector<const Rule*>& pages, const Judge& judge) {
  const PairAnswer answer = answer_for(before, after, judge);
  std::string text = fmt::format("{} before {}: {}", print(before), print(after), name_of(answer.word));
  if (answer.word == PairWord::yes && pages.empty()) text += fmt::format(", {} is against the other order", answer.rule->id);
  if (answer.word == PairWord::open) text += ", no rule speaks about it";
  text += '\n';
  for (const Rule* page : pages) text += page_text(*page, judge);
  return text;
}

// One line about a rule that is only about other projects, whose harm does not apply to the target.
std::string line_about_others(const Rule& page) {
  std::vector<std::string> about;
  for (const Holds& one : page.holds) about.push_back(print(one));
  return fmt::format("  {} {} ({}): {}\n", page.id, page.kind == RuleKind::commutes ? "no harm" : name_of(page.harm),
                     join(about, ", "), page.title);
}

}  // namespace

std::string explain_pair(const Item& a, const Item& b, const Judge& judge) {
  const PairPages pages = pages_about(a, b, judge);
  std::string text = order_text(a, b, pages.straight, judge);
  if (a != b) text += order_text(b, a, pages.turned, judge);
  if (!pages.any.empty()) text += "in any order:\n";
  for (const Rule* page : pages.any) text += page_text(*page, judge);
  if (!pages.others.empty()) text += fmt::format("not about {}:\n", print(judge.target()));
  for (const Rule* page : pages.others) text += line_about_others(*page);
  return text;
}

namespace {

using Json = nlohmann::ordered_json;

// An item by its name, or as written if the stack has another item of that name.
std::string named(std::size_t index, const Stack& order) {
  const std::string& name = order.items[index].name;
  return std::ranges::count(order.items, name, &Item::name) == 1 ? name : print(order.items[index]);
}

std::string pair_of(const OrderReason& reason, const Stack& order) {
  return fmt::format("{} before {}", named(reason.before, order), named(reason.after, order));
}

std::string text_of(const OrderReason& reason, const Judge& judge) {
  if (reason.rule == nullptr) return "no rule orders the two; the catalogue's order is used";
  return (reason.either_way ? "either way, " : "") + because(*reason.rule, judge.grade(*reason.rule));
}

Json json_of(const OrderReason& reason, const Stack& order, const Judge& judge) {
  Json made{{"before", print(order.items[reason.before])},
            {"after", print(order.items[reason.after])},
            {"rule", nullptr},
            {"either_way", reason.either_way}};
  if (reason.rule == nullptr) return made;
  const Rule& rule = *reason.rule;
  made["rule"] = rule.id;
  made["basis"] = name_of(rule.basis);
  made["grade"] = print(judge.grade(rule));
  made["because"] = reason_of(rule);
  made["citation"] = nullptr;
  if (!rule.citations.empty()) made["citation"] = {{"url", rule.citations.front().url}, {"date", rule.citations.front().date}};
  return made;
}

std::string count_text(const Suggestion& suggestion) {
  if (suggestion.order.items.size() < 2) return "";
  if (suggestion.orders == 1 && suggestion.all_counted) {
    const bool commutes = std::ranges::any_of(suggestion.reasons, &OrderReason::either_way);
    return fmt::format("The order rules allow no other order of these{}.\n",
                       commutes ? ", but for neighbours that may change places" : "");
  }
  return fmt::format("The order rules allow {}{} orders of these.\n", suggestion.all_counted ? "" : "more than ",
                     suggestion.orders);
}

std::vector<std::string> blockers_of(const Suggestion& suggestion) {
  std::vector<std::string> rules;
  for (const Finding& finding : suggestion.report.findings)
    if (finding.severity == Severity::error && !contains(rules, finding.rule)) rules.push_back(finding.rule);
  return rules;
}

}  // namespace

std::string render_text(const Suggestion& suggestion, const Judge& judge, bool colour) {
  const std::string report = render_text(suggestion.report, colour);
  if (suggestion.orders == 0) return "There is no order of these that keeps the order rules:\n" + report;
  std::size_t width = 0;
  for (const OrderReason& reason : suggestion.reasons) width = std::max(width, pair_of(reason, suggestion.order).size());
  std::string text = print(suggestion.order) + "\n";
  for (const OrderReason& reason : suggestion.reasons)
    text += fmt::format("  {:<{}}  {}\n", pair_of(reason, suggestion.order), width, text_of(reason, judge));
  text += count_text(suggestion);
  if (const std::vector<std::string> blockers = blockers_of(suggestion); !blockers.empty())
    text += fmt::format("Blocked by {} on {}, whatever the order:\n", join(blockers, " and "), print(suggestion.report.target));
  return text + report;
}

std::string render_json(const Suggestion& suggestion, const Judge& judge) {
  Json reasons = Json::array();
  for (const OrderReason& reason : suggestion.reasons) reasons.push_back(json_of(reason, suggestion.order, judge));
  const Json report = Json::parse(render_json(suggestion.report));
  const Json whole{{"schema", "ordercheck/suggest/1"},
                   {"stack", print(suggestion.order)},
                   {"orders", suggestion.orders},
                   {"all_counted", suggestion.all_counted},
                   {"legal", report.at("legal")},
                   {"blockers", blockers_of(suggestion)},
                   {"reasons", reasons},
                   {"report", report}};
  return whole.dump(2) + "\n";
}

}  // namespace ordercheck
