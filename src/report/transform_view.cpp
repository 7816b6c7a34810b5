#include "report/transform_view.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "base/wording.h"
#include "report/markdown.h"
#include "rule/claim.h"
#include "stack/notation.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

bool is_about(const Pattern& pattern, const std::string& name, std::optional<Scope> scope) {
  return std::ranges::any_of(pattern.any_of,
                             [&](const ItemPattern& p) { return p.name == name || (scope && p.scope == scope); });
}

std::string runs_of(const std::string& name, const std::vector<EngineRuns>& engines) {
  std::vector<std::string> parts;
  for (const EngineRuns& engine : engines) {
    const auto count = std::ranges::count_if(engine.outcomes, [&](const Outcome& outcome) {
      return std::ranges::find(outcome.subject.stack.items, name, &Item::name) != outcome.subject.stack.items.end();
    });
    if (count > 0) parts.push_back(fmt::format("{} on {}", counted(count, "case"), print_engine(engine)));
  }
  return join(parts, ", ");
}

}  // namespace

TransformView transform_view(const std::string& name, std::optional<Scope> scope, const Sources& sources,
                             const std::vector<EngineRuns>& engines) {
  const TransformInfo* info = find_transform(name);
  TransformView view{.name = code(name), .title = info == nullptr ? name : info->title, .run = runs_of(name, engines)};
  for (const Framework& framework : sources.frameworks)
    if (std::ranges::find(framework.order.items, name, &Item::name) != framework.order.items.end())
      view.projects.push_back(fmt::format("{}: {}", framework.title, code(print(framework.order))));
  for (const Rule& rule : sources.rules) {
    if (!is_about(rule.one, name, scope) && !is_about(rule.other, name, scope)) continue;
    view.pages.push_back({.page = link_to(rule, "rules/"),
                          .claim = claim_of(rule, [](const std::string& text) { return code(text); }),
                          .harm = rule.kind == RuleKind::commutes ? "none" : name_of(rule.harm),
                          .basis = name_of(rule.basis),
                          .source = rule.citations.empty() ? "" : source_in_words(rule.citations.front())});
  }
  return view;
}

}  // namespace ordercheck
