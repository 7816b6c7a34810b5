#include "report/pages/framework_view.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "base/wording.h"
#include "matrix/orders.h"
#include "report/pages/markdown.h"
#include "report/pages/rule_view.h"
#include "rules/precedence.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

// The pairs of transforms in a project's order that an order rule wants the other way round, in words.
std::string inversions(const Stack& order, const Judge& judge) {
  std::vector<std::string> pairs;
  const Precedences precedences(order, judge);
  for (const Precedence& one : precedences.kept())
    if (one.before > one.after)
      pairs.push_back(fmt::format("{} before {}", code(order.items[one.after].name), code(order.items[one.before].name)));
  return pairs.empty() ? "nothing" : join(pairs, ", ");
}

std::string in_arrows(const Stack& order) {
  std::vector<std::string> items;
  for (const Item& item : order.items) items.push_back(print(Stack{.items = {item}}));
  return code(join(items, " → "));
}

std::string findings_in_words(const Stack& order, const Judge& judge) {
  std::vector<std::string> links;
  StackMatch match = judge.match(order, MissingDegrees::as_run);
  for (const std::size_t page : judge.fired(match)) links.push_back(link_to(judge.rules()[page]));
  return links.empty() ? "none" : join(links, ", ");
}

// The verdict on the first other engine that built and ran the whole order; "" if there is none.
std::string whole_run_elsewhere(const Stack& order, const Target& target, const std::vector<EngineRuns>& engines) {
  for (const EngineRuns& engine : engines) {
    if (engine.target == target || engine.target.project == target.project) continue;
    std::vector<std::string> dropped;
    const Case c = usual_case(project(order, built_by(engine), dropped), Case{}.model, engine.table.engine);
    const Outcome* outcome = dropped.empty() ? find_outcome(engine, c) : nullptr;
    if (outcome != nullptr) return fmt::format("; on {} {}", print(engine.target), verdict_in_words(outcome->seen));
  }
  return "";
}

// The text of FrameworkRow::run: the verdict on the part of the order that the reader's version implements. If that is not all
// of it, appends the verdict on the whole order on another engine.
std::string run_in_words(const Stack& order, const Target& target, const std::vector<EngineRuns>& engines) {
  for (const EngineRuns& engine : engines) {
    if (engine.target != target) continue;
    std::vector<std::string> dropped;
    const Stack projected = project(order, built_by(engine), dropped);
    const Case c = usual_case(projected, Case{}.model, engine.table.engine);
    const Outcome* outcome = projected.items.empty() ? nullptr : find_outcome(engine, c);
    if (outcome == nullptr) continue;
    if (dropped.empty()) return verdict_in_words(outcome->seen);
    return fmt::format("{}, without {}{}", verdict_in_words(outcome->seen), code(join(dropped, ",")),
                       whole_run_elsewhere(order, target, engines));
  }
  return "not run" + whole_run_elsewhere(order, target, engines);
}

// "`tp → ac`: tp a.py:1; ac b.py:9 (1.15.0, torch 2.15.0, 2 ranks, 2026-11-29)".
std::string recorded_in_words(const Framework& framework) {
  if (!framework.recorded) return "not recorded";
  const RecordedFramework& one = *framework.recorded;
  return fmt::format("{}: {} ({}, {}, {}, {})", in_arrows(one.order), one.places, one.release, one.with,
                     counted(one.ranks, "rank"), one.date);
}

}  // namespace

std::vector<OwnRun> own_runs(const std::vector<Framework>& frameworks, const std::vector<EngineRuns>& engines,
                             const std::vector<Rule>& rules) {
  std::vector<OwnRun> runs;
  for (const Framework& framework : frameworks)
    for (const Case& c : framework.runs)
      for (const EngineRuns& engine : engines) {
        const Outcome* outcome = find_outcome(engine, c);
        if (outcome == nullptr) continue;
        if (!framework.release.empty() && print(*engine.target.version) != framework.release) continue;
        const std::string page = causing_pages(*outcome, engine, rules);
        runs.push_back({.title = framework.title,
                        .stack = code(print(c.stack)) + (c.model == Case{}.model ? "" : " (" + c.model + ")"),
                        .shown = verdict_in_words(outcome->seen) + (page.empty() ? "" : ": " + page),
                        .on = join(engine.table.versions, ", ")});
      }
  return runs;
}

NewestOrders newest_orders(const std::vector<Framework>& frameworks, const std::string& project) {
  const auto is_of_a_release = [&](const Framework& one) { return one.project == project && !one.release.empty(); };
  std::optional<Version> newest;
  for (const Framework& one : frameworks)
    if (is_of_a_release(one) && (!newest || *newest < *parse_version(one.release))) newest = *parse_version(one.release);
  if (!newest) return {};
  NewestOrders found{.release = fmt::format("{} {}", project, print(*newest)), .orders = {}};
  for (const Framework& one : frameworks) {
    if (!is_of_a_release(one) || one.release != print(*newest)) continue;
    const bool repeats = one.title.starts_with(found.release + " ");
    const std::string title = repeats ? one.title.substr(found.release.size() + 1) : one.title;
    found.orders.push_back(fmt::format("{} {}", title, in_arrows(one.order)));
  }
  return found;
}

std::vector<FrameworkRow> framework_rows(const Sources& sources, const std::vector<EngineRuns>& engines) {
  const Judge judge(sources.rules, reader_target(sources), sources.observations);
  std::vector<FrameworkRow> rows;
  for (const Framework& framework : sources.frameworks) {
    const Stack order = with_degrees(framework.order);
    FrameworkRow row{
        .title = framework.title,
        .order = in_arrows(framework.order),
        .source = framework.url.empty() ? framework.source : fmt::format("[{}]({})", framework.source, framework.url),
        .date = framework.date.empty() ? "unknown" : framework.date,
        .says = framework.says,
        .recorded = recorded_in_words(framework),
        .differs = inversions(order, judge),
        .findings = findings_in_words(order, judge)};
    row.run = run_in_words(order, reader_target(sources), engines);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Disagreement> disagreements(const std::vector<Framework>& frameworks) {
  struct Sides {
    std::vector<std::string> forward, turned;
  };
  std::map<std::pair<std::string, std::string>, Sides> pairs;  // key: the alphabetically smaller name first
  for (const Framework& framework : frameworks) {
    const auto& items = framework.order.items;
    for (std::size_t i = 0; i < items.size(); ++i)
      for (std::size_t j = i + 1; j < items.size(); ++j) {
        const bool forward = items[i].name < items[j].name;
        Sides& sides = forward ? pairs[{items[i].name, items[j].name}] : pairs[{items[j].name, items[i].name}];
        (forward ? sides.forward : sides.turned).push_back(framework.title);
      }
  }
  std::vector<Disagreement> found;
  for (const auto& [names, sides] : pairs)
    if (!sides.forward.empty() && !sides.turned.empty())
      found.push_back({.pair = fmt::format("{} and {}", code(names.first), code(names.second)),
                       .first_before = join(sides.forward, ", "),
                       .second_before = join(sides.turned, ", ")});
  return found;
}

}  // namespace ordercheck
