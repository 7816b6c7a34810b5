#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "check/render.h"
#include "check/suggestion.h"
#include "rule/claim.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

using Json = nlohmann::ordered_json;

// By name, and in full where a name stands twice.
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
  if (suggestion.orders == 1 && suggestion.all_counted) return "The order rules allow no other order of these.\n";
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
