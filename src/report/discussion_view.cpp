#include "report/discussion_view.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/text.h"
#include "parity/counters.h"
#include "report/cost_view.h"
#include "report/markdown.h"
#include "report/rule_view.h"
#include "report/runs_view.h"
#include "rule/counters.h"
#include "rule/job.h"
#include "rule/load.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

constexpr const char* kVerdict = "verdict";
constexpr const char* kUnknown = "unknown";
constexpr const char* kSeen = "what was seen";

// A stack of the point and what the engine's table has of it.
struct Column {
  Stack stack;
  const Outcome* run = nullptr;  // null: not run
  bool is_complete() const { return run != nullptr && run->seen.ending == Ending::completed; }
};

// Stacks of the same transforms in the same degrees belong together, whatever their order, options and scopes: only among
// these do counters speak about the order.
std::vector<std::vector<Stack>> alike(const std::vector<Stack>& stacks) {
  std::vector<std::vector<std::pair<std::string, std::vector<Degree>>>> keys;
  std::vector<std::vector<Stack>> groups;
  for (const Stack& stack : stacks) {
    auto& key = keys.emplace_back();
    for (const Item& item : stack.items) key.emplace_back(item.name, item.degrees);
    std::ranges::sort(key);
    const auto group = static_cast<std::size_t>(std::ranges::find(keys, key) - keys.begin());
    if (group == groups.size())
      groups.emplace_back();
    else
      keys.pop_back();
    groups[group].push_back(stack);
  }
  return groups;
}

std::vector<Column> columns_of(const std::vector<Stack>& stacks, const Space& space, const EngineRuns& engine) {
  const std::string usual = space.models.empty() ? Case{}.model : space.models.front();
  std::vector<Column> columns;
  for (const Stack& stack : stacks) {
    const Case c = usual_case(stack, model_of(stack, usual), engine.table.engine);
    columns.push_back({.stack = stack, .run = find_outcome(engine, c)});
  }
  return columns;
}

std::string not_run_in_words(const Stack& stack, const std::vector<std::string>& built) {
  std::vector<std::string> strangers;
  for (const Item& item : stack.items)
    if (std::ranges::find(built, item.name) == built.end() && std::ranges::find(strangers, code(item.name)) == strangers.end())
      strangers.push_back(code(item.name));
  return strangers.empty() ? "not run" : fmt::format("not run: no run of this engine holds {}", join(strangers, ", "));
}

// Cells of one line, nothing where the stack has no such value.
using Cells = std::vector<std::optional<std::string>>;

PointLine line_of(std::string name, const Cells& cells) {
  PointLine line{.name = std::move(name)};
  std::set<std::string> values;
  std::ptrdiff_t there = 0;
  for (const auto& text : cells) {
    line.cells.push_back(text.value_or(""));
    if (text) values.insert(*text), ++there;
  }
  if (there > 1) line.same = values.size() == 1 ? "yes" : "no";
  return line;
}

// A counter that one column lacks leaves open whether the orders differ in it: neither yes nor no may stand there.
void add_counters(const std::vector<Column>& columns, PointRuns& runs) {
  for (const auto& [name, none] : counter_values({}, {})) {
    Cells cells;
    std::set<std::int64_t> measured;
    bool any = false, all_measured = true;
    for (const Column& column : columns) {
      cells.emplace_back();
      if (!column.is_complete()) continue;
      const std::int64_t value = counter_values(column.run->seen.counters, {}).at(name);
      cells.back() = counter_text(value);
      if (is_measured(value)) measured.insert(value);
      all_measured &= is_measured(value);
      any |= value != none;
    }
    if (!any) continue;
    runs.lines.push_back(line_of(counter_in_words(name), cells));
    if (std::string& same = runs.lines.back().same; !same.empty() && !all_measured)
      same = measured.size() > 1 ? "no" : kUnknown;
  }
}

// Only those that differ: on a page, what is the same everywhere says nothing about the order.
void add_collectives(const std::vector<Column>& columns, PointRuns& runs) {
  using Key = std::tuple<std::string, std::string, Phase>;
  std::map<Key, std::vector<std::pair<std::int64_t, std::int64_t>>> sums;  // one count and bytes a column
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].is_complete()) continue;
    for (const CollectiveCount& one : columns[i].run->seen.collectives) {
      auto& sum = sums[{one.kind, one.group, one.phase}];
      sum.resize(columns.size());
      sum[i].first += one.count;
      sum[i].second += one.bytes;
    }
  }
  for (const auto& [key, sum] : sums) {
    Cells cells;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      cells.emplace_back();
      if (columns[i].is_complete())
        cells.back() = fmt::format("{} with {} bytes", thousands(sum[i].first), thousands(sum[i].second));
    }
    const auto& [kind, group, phase] = key;
    PointLine line = line_of(fmt::format("{} on {} in {}", kind, group, name_of(phase)), cells);
    if (line.same == "no") runs.lines.push_back(std::move(line));
  }
}

// The sentence under the table, made from its lines: it cannot say anything else than they do.
std::string apart_in_words(const PointRuns& runs, const std::vector<Column>& columns) {
  if (std::ranges::count_if(columns, [](const Column& c) { return c.run != nullptr; }) < 2) return "";
  std::vector<std::string> names;
  for (const PointLine& line : runs.lines)
    if (line.same == "no" && line.name != kSeen) names.push_back(line.name);
  std::vector<std::string> unknown;
  for (const PointLine& line : runs.lines)
    if (line.same == kUnknown) unknown.push_back(line.name);
  const std::string rest = unknown.empty() ? "" : fmt::format(" Not measured: {}.", join(unknown, "; "));
  if (!names.empty()) return fmt::format("What differs: {}.{}", join(names, "; "), rest);
  if (!unknown.empty()) return "Nothing that was measured differs." + rest;
  return std::ranges::all_of(columns, [](const Column& c) { return c.run == nullptr || c.is_complete(); })
             ? "Nothing differs: the verdict, every counter and every collective are the same."
             : "The verdict is the same.";
}

PointRuns runs_of(const std::vector<Stack>& stacks, const Sources& sources, const EngineRuns& engine) {
  PointRuns runs{.target = print_engine(engine)};
  for (const Stack& stack : stacks) runs.stacks.push_back(code(print(stack)));
  const std::vector<Column> columns = columns_of(stacks, space_of(sources, engine.table.engine), engine);
  const std::vector<std::string> built = built_by(engine);
  if (std::ranges::none_of(columns, [](const Column& column) { return column.run != nullptr; })) {
    runs.not_run = not_run_in_words(stacks.front(), built);
    return runs;
  }
  Cells verdicts, seen;
  for (const Column& column : columns) {
    seen.emplace_back();
    verdicts.emplace_back();
    if (column.run == nullptr) continue;
    verdicts.back() = verdict_in_words(column.run->seen);
    seen.back() = seen_text(column.run->seen);
  }
  runs.lines = {line_of(kVerdict, verdicts), line_of(kSeen, seen)};
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (!verdicts[i]) runs.lines.front().cells[i] = not_run_in_words(columns[i].stack, built);
  add_counters(columns, runs);
  add_collectives(columns, runs);
  runs.apart = apart_in_words(runs, columns);
  return runs;
}

PointRule rule_of(const Rule& rule) {
  return {.link = link_to(rule, "rules/"),
          .title = rule.title,
          .basis = name_of(rule.basis),
          .harm = rule.kind == RuleKind::commutes ? "none" : name_of(rule.harm)};
}

// "native 2.11.0, cpu: `tp=2,ac` equal, `ac,tp=2` differs", of every engine that ran some of the stacks.
std::vector<std::string> verdicts_of(const std::vector<PointRuns>& runs) {
  std::map<std::string, std::vector<std::string>> shown;
  std::vector<std::string> lines;
  for (const PointRuns& one : runs)
    for (std::size_t i = 0; i < one.stacks.size() && !one.lines.empty(); ++i)
      shown[one.target].push_back(fmt::format("{} {}", one.stacks[i], one.lines.front().cells[i]));
  for (const auto& [target, verdicts] : shown) lines.push_back(fmt::format("{}: {}", target, join(verdicts, ", ")));
  if (lines.empty()) lines.push_back("not run");
  return lines;
}

std::string pair_in_words(const DiscussionPoint& point) {
  if (point.first.empty() || point.then.empty()) return code(point.first.empty() ? point.then : point.first);
  return fmt::format("{} before {}", code(point.first), code(point.then));
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

// Of the point's stacks those that apply something before what the point wants first.
std::string other_way_in_words(const DiscussionPoint& point, const Sources& sources, const std::vector<EngineRuns>& engines) {
  std::vector<Stack> turned;
  for (const Stack& stack : point.stacks)
    if (!point.first.empty() && stack.items.front().name != point.first) turned.push_back(stack);
  std::vector<std::pair<std::string, std::vector<std::string>>> shown;  // a verdict, and its stacks
  for (const EngineRuns& engine : engines) {
    if (engine.target != reader_target(sources)) continue;
    for (const Column& column : columns_of(turned, space_of(sources, engine.table.engine), engine)) {
      if (column.run == nullptr) continue;
      const std::string verdict = verdict_in_words(column.run->seen);
      auto same = std::ranges::find(shown, verdict, &decltype(shown)::value_type::first);
      if (same == shown.end()) same = shown.insert(same, {verdict, {}});
      same->second.push_back(code(print(column.stack)));
    }
  }
  std::vector<std::string> parts;
  for (const auto& [verdict, stacks] : shown) parts.push_back(fmt::format("{}: {}", verdict, join(stacks, ", ")));
  return parts.empty() ? "not run" : join(parts, "; ");
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
                 .pair = pair_in_words(point)};
  std::vector<const Rule*> rules;
  for (const std::string& id : point.rules) {
    const Rule* rule = find_rule(sources.rules, id);
    assert(rule != nullptr && "parse_discussion refuses rules that do not exist");
    rules.push_back(rule);
    view.rules.push_back(rule_of(*rule));
    view.bases.push_back(fmt::format("{} {}", view.rules.back().link, view.rules.back().basis));
  }
  view.ours = bases_in_words(rules);
  for (const std::vector<Stack>& stacks : alike(point.stacks))
    for (const Target& target : targets_of(sources)) {
      const std::size_t before = view.runs.size();
      for (const EngineRuns& engine : engines)
        if (engine.target == target) view.runs.push_back(runs_of(stacks, sources, engine));
      if (view.runs.size() > before) continue;
      view.runs.push_back({.target = print(target), .not_run = "not run"});
      for (const Stack& stack : stacks) view.runs.back().stacks.push_back(code(print(stack)));
    }
  view.verdicts = verdicts_of(view.runs);
  return view;
}

// The same stacks on the same engine stand in a table once; later points lead to it.
void tell_once(std::vector<PointView>& points) {
  std::map<std::pair<std::string, std::vector<std::string>>, std::string> told;
  for (PointView& point : points)
    for (PointRuns& runs : point.runs) {
      if (runs.lines.empty()) continue;
      const auto [first, is_new] = told.try_emplace({runs.target, runs.stacks}, point.title);
      if (!is_new) runs.told_at = first->second;
    }
}

}  // namespace

std::vector<DiscussionView> discussion_views(const Sources& sources, const std::vector<EngineRuns>& engines) {
  std::vector<DiscussionView> views;
  for (const Discussion& discussion : sources.discussions) {
    views.push_back({.name = discussion.name, .title = discussion.title, .url = discussion.url, .points = {}});
    for (const DiscussionPoint& point : discussion.points) {
      PointView view = view_of(point, sources, engines);
      view.title = fmt::format("{}. {}", views.back().points.size() + 1, view.title);
      views.back().points.push_back(std::move(view));
    }
    tell_once(views.back().points);
  }
  return views;
}

}  // namespace ordercheck
