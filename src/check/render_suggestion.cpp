#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

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
  if (reason.rule == nullptr) return "no page orders the two; the catalogue's order is used";
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
  if (!rule.citations.empty())
    made["citation"] = {{"url", rule.citations.front().url}, {"date", rule.citations.front().date}};
  return made;
}

}  // namespace

std::string render_text(const Suggestion& suggestion, const Judge& judge, bool colour) {
  if (has_error(suggestion.report.findings))
    return "No order of these is legal:\n" + render_text(suggestion.report, colour);
  std::size_t width = 0;
  for (const OrderReason& reason : suggestion.reasons) width = std::max(width, pair_of(reason, suggestion.order).size());
  std::string text = print(suggestion.order) + "\n";
  for (const OrderReason& reason : suggestion.reasons)
    text += fmt::format("  {:<{}}  {}\n", pair_of(reason, suggestion.order), width, text_of(reason, judge));
  return text + render_text(suggestion.report, colour);
}

std::string render_json(const Suggestion& suggestion, const Judge& judge) {
  Json reasons = Json::array();
  for (const OrderReason& reason : suggestion.reasons) reasons.push_back(json_of(reason, suggestion.order, judge));
  const Json whole{{"stack", print(suggestion.order)},
                   {"legal", !has_error(suggestion.report.findings)},
                   {"reasons", reasons},
                   {"report", Json::parse(render_json(suggestion.report))}};
  return whole.dump(2) + "\n";
}

}  // namespace ordercheck
