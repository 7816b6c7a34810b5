#include "report/pages/transform_view.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "base/text.h"
#include "base/wording.h"
#include "report/pages/markdown.h"
#include "report/pages/rule_view.h"
#include "rules/prediction.h"
#include "stack/case.h"
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

constexpr std::size_t kLongestList = 120;

bool holds_item(const Stack& stack, const std::string& name) {
  return std::ranges::find(stack.items, name, &Item::name) != stack.items.end();
}

// A stack with its models, if they are not just the default model.
std::string stack_and_models(const std::string& stack, const std::vector<std::string>& models) {
  if (models == std::vector<std::string>{Case{}.model}) return breakable_code(stack);
  return fmt::format("{} ({})", breakable_code(stack), join(models, ", "));
}

std::vector<TransformShown> shown_by(const std::string& name, const EngineRuns& engine, const std::vector<Rule>& rules) {
  using Key = std::tuple<Verdict, std::string, std::string>;  // verdict, its text, page
  std::map<Key, std::vector<std::pair<std::string, std::vector<std::string>>>> groups;
  for (const Outcome& outcome : engine.outcomes) {
    const Case& c = outcome.subject;
    // This page is about bitwise results; runs judged by distance are on the engine's page.
    if (!holds_item(c.stack, name) || c.settings != Settings()) continue;
    auto& stacks = groups[{outcome.seen.verdict, verdict_in_words(outcome.seen), explaining_page(outcome, engine, rules)}];
    const auto found = std::ranges::find(stacks, print(c.stack), &std::pair<std::string, std::vector<std::string>>::first);
    if (found == stacks.end())
      stacks.push_back({print(c.stack), {c.model}});
    else
      found->second.push_back(c.model);
  }
  std::vector<TransformShown> shown;
  for (auto& [key, stacks] : groups) {
    std::ranges::stable_sort(stacks, {}, [](const auto& stack) { return stack.first.size(); });
    std::vector<std::string> texts;
    std::size_t length = 0;
    for (const auto& [stack, models] : stacks) {
      const std::string text = stack_and_models(stack, models);
      if (!texts.empty() && length + text.size() > kLongestList) break;
      length += text.size() + 2;
      texts.push_back(text);
    }
    const std::size_t left = stacks.size() - texts.size();
    shown.push_back({.target = fmt::format("{} {}", engine.target.project, print_version(engine)),
                     .verdict = std::get<1>(key),
                     .page = std::get<2>(key),
                     .stacks = join(texts, ", "),
                     .more = left == 0 ? "" : fmt::format("{} more", left)});
  }
  return shown;
}

bool applies(const SentRow& row, const std::string& name) {
  return std::ranges::find(row.of.items, name, &Item::name) != row.of.items.end();
}

std::vector<ModeRow> modes_of(const std::string& name, const SentTable& table) {
  std::vector<ModeRow> modes;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const SentRow& row = table.rows[i];
    if (!row.counts || (i > 0 && !applies(row, name))) continue;
    const TakenRow taken = i < table.taken.size() ? table.taken[i] : TakenRow{};
    modes.push_back({.stack = breakable_code(print(row.of)),
                     .collectives = in_short(row),
                     .bytes = row.bytes,
                     .held = taken.held,
                     .saved = taken.saved,
                     .parameters = taken.parameters});
  }
  return modes;
}

}  // namespace

TransformView transform_view(const std::string& name, std::optional<Scope> scope, const Sources& sources,
                             const std::vector<EngineRuns>& engines) {
  const TransformInfo* info = find_transform(name);
  TransformView view{.name = code(name), .title = info == nullptr ? name : info->title, .run = runs_of(name, engines)};
  for (const EngineRuns& engine : engines) {
    for (TransformShown& shown : shown_by(name, engine, sources.rules)) view.shown.push_back(std::move(shown));
    for (const SentTable& table : sent_tables(sources, engine)) {
      const bool has_it = std::ranges::any_of(table.rows, [&](const SentRow& row) { return applies(row, name); });
      if (!has_it || !view.modes.empty()) continue;
      view.modes = modes_of(name, table);
      view.modes_on = fmt::format("{}, model {}", table.engine, table.model);
    }
  }
  std::vector<std::string> projects;
  for (const Framework& framework : sources.frameworks)
    if (std::ranges::find(framework.order.items, name, &Item::name) != framework.order.items.end())
      projects.push_back(fmt::format("{}: {}", framework.title, code(print(framework.order))));
  view.projects = join(projects, "; ");
  for (const Rule& rule : sources.rules) {
    if (!is_about(rule.one, name, scope) && !is_about(rule.other, name, scope)) continue;
    view.pages.push_back({.page = link_to(rule),
                          .claim = claim_of(rule, [](const std::string& text) { return code(text); }),
                          .harm = harm_in_words(rule),
                          .basis = name_of(rule.basis),
                          .source = rule.citations.empty() ? "" : source_in_words(rule.citations.front())});
  }
  return view;
}

}  // namespace ordercheck
