#include "report/pages/discussion_view.h"

#include <algorithm>
#include <cassert>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "report/pages/markdown.h"
#include "report/pages/rule_view.h"
#include "report/pages/shown.h"
#include "rule/job.h"
#include "rule/load.h"
#include "rule/models.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

const Outcome* point_run(const Stack& stack, const Sources& sources, const EngineRuns& engine) {
  const Space& space = space_of(sources, engine.table.engine);
  const std::string usual = space.models.empty() ? Case{}.model : space.models.front();
  return find_outcome(engine, usual_case(stack, model_of(stack, usual), engine.table.engine));
}

std::string point_verdict(const Outcome& run, const Sources& sources, const EngineRuns& engine) {
  return verdict_in_words(run.seen) + (shown_by(run, sources, engine.target) == Shown::slower ? ", slower" : "");
}

std::string not_run_in_words(const Stack& stack, const EngineRuns& engine) {
  const std::vector<std::string> built = built_by(engine);
  std::vector<std::string> strangers;
  for (const Item& item : stack.items)
    if (!contains(built, item.name) && !contains(strangers, code(item.name))) strangers.push_back(code(item.name));
  return strangers.empty() ? "not run" : "not run: no run holds " + join(strangers, ", ");
}

// The verdict of the newest version, and of those before it that showed another one.
std::string point_cell(const Stack& stack, const Sources& sources, const std::vector<const EngineRuns*>& versions) {
  const EngineRuns& newest = *versions.back();
  const Outcome* run = point_run(stack, sources, newest);
  const std::string verdict = run == nullptr ? "" : point_verdict(*run, sources, newest);
  std::string text = run == nullptr
                         ? not_run_in_words(stack, newest)
                         : fmt::format("[{}](evidence/{}#{})", verdict, evidence_page_of(newest), name_of(run->seen.verdict));
  std::vector<std::pair<std::string, std::vector<std::string>>> before;  // a verdict, and its versions
  for (const EngineRuns* version : versions) {
    const Outcome* earlier = point_run(stack, sources, *version);
    if (earlier == nullptr || version == &newest) continue;
    const std::string other = point_verdict(*earlier, sources, *version);
    if (other == verdict) continue;
    if (before.empty() || before.back().first != other) before.push_back({other, {}});
    before.back().second.push_back(print(*version->target.version));
  }
  for (const auto& [other, in] : before) text += fmt::format("; {}: {}", join(in, ", "), other);
  return text;
}

// What the pages about orders call it, each basis once.
std::string bases_in_words(const std::vector<const Rule*>& rules) {
  std::map<std::string, std::vector<std::string>> ids;
  for (const Rule* rule : rules)
    if (rule->kind == RuleKind::order) ids[name_of(rule->basis)].push_back(rule->id);
  std::vector<std::string> parts;
  for (const auto& [basis, pages] : ids) parts.push_back(fmt::format("{}: {}", basis, join(pages, ", ")));
  return join(parts, "; ");
}

// Whether the stack applies the point's two in the other order. One of the two may be another of its family, sac for ac: then what
// counts is whether the one that is there stands where the point wants it.
bool is_other_way(const Stack& stack, const DiscussionPoint& point) {
  const auto begin = stack.items.begin(), end = stack.items.end();
  const auto first = std::ranges::find(stack.items, point.first, &Item::name);
  const auto then = std::ranges::find(stack.items, point.then, &Item::name);
  if (first == end) return then == begin && then != end && stack.items.size() > 1;
  return then != end ? then < first : first != begin;
}

// Of the point's stacks that are in the other order.
std::string other_way_in_words(const DiscussionPoint& point, const Sources& sources, const std::vector<EngineRuns>& engines) {
  std::vector<std::pair<std::string, std::vector<std::string>>> shown;  // what was seen, and of which stacks
  for (const EngineRuns& engine : engines) {
    if (engine.target != reader_target(sources)) continue;
    for (const Stack& stack : point.stacks) {
      if (!is_other_way(stack, point)) continue;
      const Outcome* run = point_run(stack, sources, engine);
      if (run == nullptr) continue;
      const std::string verdict = shown_in_words(*run, sources);
      auto same = std::ranges::find(shown, verdict, &decltype(shown)::value_type::first);
      if (same == shown.end()) same = shown.insert(same, {verdict, {}});
      same->second.push_back(code(print(stack)));
    }
  }
  std::vector<std::string> parts;
  for (const auto& [verdict, stacks] : shown) parts.push_back(fmt::format("{}: {}", verdict, join(stacks, ", ")));
  return parts.empty() ? "not run" : join(parts, "; ");
}

bool harms(const Outcome* run, const Sources& sources, const EngineRuns& engine) {
  return run != nullptr && shown_by(*run, sources, engine.target) != Shown::equal;
}

bool harms_the_reader(const Stack& stack, const Sources& sources, const std::vector<EngineRuns>& engines) {
  return std::ranges::any_of(engines, [&](const EngineRuns& engine) {
    return engine.target == reader_target(sources) && harms(point_run(stack, sources, engine), sources, engine);
  });
}

// Those of them that harm there and do not where each transform is built from its definition.
std::string right_by_definition(const DiscussionPoint& point, const Sources& sources, const std::vector<EngineRuns>& engines) {
  std::vector<std::string> right;
  for (const EngineRuns& engine : engines) {
    if (engine.target.project != sources.definition) continue;
    for (const Stack& stack : point.stacks) {
      if (!is_other_way(stack, point) || !harms_the_reader(stack, sources, engines)) continue;
      const Outcome* run = point_run(stack, sources, engine);
      if (run != nullptr && !harms(run, sources, engine)) right.push_back(code(print(stack)));
    }
  }
  return join(right, ", ");
}

PointView view_of(const DiscussionPoint& point, const Sources& sources, const std::vector<EngineRuns>& engines) {
  PointView view{.title = point.title,
                 .by = point.by,
                 .date = point.date,
                 .says = point.says,
                 .basis_said = point.basis_said,
                 .answer = std::string(trim(point.answer)),
                 .why = point.why,
                 .other_way = other_way_in_words(point, sources, engines),
                 .by_definition = right_by_definition(point, sources, engines)};
  std::vector<const Rule*> rules;
  std::vector<std::string> pages;
  for (const std::string& id : point.rules) {
    const Rule* rule = find_rule(sources.rules, id);
    assert(rule != nullptr && "parse_discussion refuses rules that do not exist");
    rules.push_back(rule);
    pages.push_back(fmt::format("{} ({}, {})", link_to(*rule, "rules/"), name_of(rule->basis), harm_in_words(*rule)));
  }
  view.pages = join(pages, ", ");
  view.ours = bases_in_words(rules);
  for (const Stack& stack : point.stacks) {
    view.stacks.push_back({.stack = code(print(stack)), .cells = {}});
    for (const auto& versions : by_engine(engines)) view.stacks.back().cells.push_back(point_cell(stack, sources, versions));
  }
  return view;
}

}  // namespace

std::vector<DiscussionView> discussion_views(const Sources& sources, const std::vector<EngineRuns>& engines) {
  std::vector<DiscussionView> views;
  for (const Discussion& discussion : sources.discussions) {
    DiscussionView& made = views.emplace_back(DiscussionView{.file = discussion.name + ".md",
                                                             .title = discussion.title,
                                                             .url = discussion.url,
                                                             .engines = {},
                                                             .definition = {},
                                                             .points = {}});
    for (const auto& versions : by_engine(engines))
      made.engines.push_back(
          fmt::format("[{}](evidence/{})", print_engine(*versions.back()), evidence_page_of(*versions.back())));
    for (const EngineRuns& engine : engines)
      if (engine.target.project == sources.definition) made.definition = print(engine.target);
    for (const DiscussionPoint& point : discussion.points) {
      PointView view = view_of(point, sources, engines);
      view.title = fmt::format("{}. {}", made.points.size() + 1, view.title);
      made.points.push_back(std::move(view));
    }
  }
  return views;
}

}  // namespace ordercheck
