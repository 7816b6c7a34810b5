#include "cli/project/check_scanned.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"

namespace ordercheck::cli {
namespace {

// One value of an option that code leaves open, and when it is so; without a value, the option is not written.
struct OpenValue {
  std::string option;
  std::string value;
  std::string condition;
};

const std::vector<std::vector<OpenValue>>& open_values() {
  static const std::vector<std::vector<OpenValue>> all{
      {{"sp", "", "your plan has sequence parallelism"}, {"sp", "off", "your plan has no sequence parallelism"}},
      {{"plan", "", "your plan splits the embedding by rows"}, {"plan", "blocks", "your plan leaves the embedding whole"}}};
  return all;
}

struct Variant {
  Stack stack;
  // Of the options that are not known. Those whose real value the notation has no word for add none: what they decide is not said.
  std::vector<std::string> conditions;
};

std::vector<Variant> variants_of(const ScannedStack& one) {
  std::vector<Variant> all{{.stack = one.imported.stack, .conditions = {}}};
  for (std::size_t at = 0; at < one.calls.size(); ++at)
    for (const auto& [option, state] : one.calls[at].open_options) {
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

const Finding* find(const Report& report, const Finding& finding) {
  const auto found = std::ranges::find_if(report.findings, [&](const Finding& one) { return is_same(one, finding); });
  return found == report.findings.end() ? nullptr : &*found;
}

using Conditions = std::vector<std::string>;

// The conditions under which every variant has the finding.
std::vector<Conditions> conditions_with(const std::vector<Variant>& variants, const std::vector<Report>& reports,
                                        const Finding& finding) {
  std::map<Conditions, bool> all;
  for (std::size_t at = 0; at < variants.size(); ++at) {
    bool& has_all = all.try_emplace(variants[at].conditions, true).first->second;
    has_all = has_all && find(reports[at], finding) != nullptr;
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

}  // namespace

Report check_scanned(const ScannedStack& one, const Judge& judge) {
  const std::vector<Variant> variants = variants_of(one);
  std::vector<Report> reports;
  for (const Variant& variant : variants) reports.push_back(check(variant.stack, judge));
  Report made = reports.front();
  made.findings.clear();
  for (const Report& report : reports)
    for (const Finding& finding : report.findings) {
      if (find(made, finding) != nullptr) continue;
      const std::vector<Conditions> with = conditions_with(variants, reports, finding);
      if (with.empty()) continue;
      made.findings.push_back(finding);
      if (with.front().empty()) continue;
      Finding& conditional = made.findings.back();
      conditional.severity = Severity::advice;
      conditional.headline = fmt::format("if {}: {}", join(shared_by(with), " and "), finding.headline);
    }
  std::ranges::stable_sort(made.findings, {}, [](const Finding& finding) { return finding.severity != Severity::error; });
  if (count_of(made, Severity::error) == 0) {
    made.conflict.reset();
    made.repaired.reset();
  }
  return made;
}

}  // namespace ordercheck::cli
