#include "cli/project/open_options.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "stack/transforms.h"

namespace ordercheck::cli {
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
      {{"plan", "", "your plan splits the embedding by rows"}, {"plan", "blocks", "your plan leaves the embedding whole"}},
      {{"groups", "", "the embedding and the output are in one group"},
       {"groups", "apart", "the embedding and the output are in groups of their own"}}};
  return all;
}

// Adds the options that a stack seldom says and that matter to this job.
OpenOptions with_unsaid(const Stack& stack, OpenOptions open, const Job& job) {
  open.resize(stack.items.size());
  for (std::size_t at = 0; at < stack.items.size(); ++at)
    for (const OptionInfo& option : info_of(stack.items[at]).options) {
      const auto size = job.sizes.find(option.unsaid_if);
      if (size != job.sizes.end() && size->second > 0 && !option_of(stack.items[at], option.name))
        open[at][option.name] = "unknown";
    }
  return open;
}

struct Variant {
  Stack stack;
  // Conditions of the open options. An option with a value outside the notation adds none, since its effect is unknown.
  std::vector<std::string> conditions;
};

std::vector<Variant> variants_of(const Stack& stack, const OpenOptions& open) {
  std::vector<Variant> all{{.stack = stack, .conditions = {}}};
  for (std::size_t at = 0; at < open.size(); ++at)
    for (const auto& [option, state] : open[at]) {
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

Report check_with_open_options(const Stack& stack, const OpenOptions& open, const Judge& judge) {
  const std::vector<Variant> variants = variants_of(stack, with_unsaid(stack, open, judge.job()));
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
