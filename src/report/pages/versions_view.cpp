#include "report/pages/versions_view.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "base/wording.h"
#include "report/pages/markdown.h"
#include "report/pages/rule_view.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

constexpr const char* kNotRun = "not run";
constexpr std::size_t kRulesOfALine = 4;  // those with the most stacks; the table below lists all

std::string cell_of(const EngineRuns& engine, const Case& c) {
  const Outcome* outcome = find_outcome(engine, c);
  return outcome == nullptr ? kNotRun : verdict_in_words(outcome->seen);
}

// The stack, with a non-default model and settings in parentheses.
std::string order_of(const Case& c) {
  std::vector<std::string> settings;
  if (c.model != Case{}.model) settings.push_back(c.model);
  Case usual = c;
  usual.model = Case{}.model;
  for (const std::string& word : split(print(usual), ' '))
    if (word != print(c.stack) && word != "engine=" + c.engine) settings.push_back(word);
  return code(print(c.stack)) + (settings.empty() ? "" : " (" + join(settings, ", ") + ")");
}

bool is_harm(const Outcome& outcome) {
  const Verdict verdict = outcome.seen.verdict;
  return !shows_parity(verdict) && verdict != Verdict::unrun && verdict != Verdict::unstable;
}

// Stacks with a wrong result, keyed by a link to the rule page that explains it, or by "no rule".
using StacksByPage = std::map<std::string, std::vector<std::string>>;

void add(StacksByPage& stacks, const Outcome& outcome, const EngineRuns& engine, const std::vector<Rule>& rules) {
  const std::string page = explaining_page(outcome, engine, rules);
  stacks[page.empty() || page == "none" ? "no rule" : page].push_back(order_of(outcome.subject));
}

std::string in_words(const StacksByPage& stacks) {
  std::vector<std::pair<std::string, std::vector<std::string>>> sorted(stacks.begin(), stacks.end());
  std::ranges::stable_sort(sorted, std::greater{}, [](const auto& one) { return one.second.size(); });
  std::vector<std::string> parts;
  for (const auto& [page, orders] : sorted) {
    const std::string& shortest = *std::ranges::min_element(orders, {}, &std::string::size);
    parts.push_back(
        fmt::format("{} ({}{})", shortest, page, orders.size() > 1 ? fmt::format("; {} more", orders.size() - 1) : ""));
  }
  if (parts.empty()) return "nothing that ran";
  const std::size_t more = parts.size() > kRulesOfALine ? parts.size() - kRulesOfALine : 0;
  parts.resize(parts.size() - more);
  return join(parts, ", ") +
         (more == 0 ? "" : fmt::format("; stacks of {}", counted(static_cast<std::int64_t>(more), "more rule")));
}

// Stacks whose wrong result went or came with the newest version, compared with the newest older version that ran the case.
struct Changes {
  StacksByPage gone, fresh;
};

// "gone" or "new" for a harm; "" for another change.
std::string change_of(const Outcome& newest, const std::vector<const EngineRuns*>& versions, const std::vector<Rule>& rules,
                      Changes& changes) {
  const Outcome *harmed = nullptr, *unharmed = nullptr;
  const EngineRuns* where = nullptr;
  // Compare only with the last older version that ran the case: a harm in a still older one may be gone already.
  for (std::size_t i = versions.size() - 1; i-- > 0;) {
    const Outcome* older = find_outcome(*versions[i], newest.subject);
    if (older == nullptr) continue;
    if (is_harm(*older)) harmed = older, where = versions[i];
    if (shows_parity(older->seen.verdict)) unharmed = older;
    break;
  }
  if (shows_parity(newest.seen.verdict) && harmed != nullptr) {
    add(changes.gone, *harmed, *where, rules);
    return "gone";
  }
  if (is_harm(newest) && harmed == nullptr && unharmed != nullptr) {
    add(changes.fresh, newest, *versions.back(), rules);
    return "new";
  }
  return "";
}

VersionLine silently_wrong(const EngineRuns& engine, const std::vector<Rule>& rules) {
  StacksByPage wrong;
  for (const Outcome& outcome : engine.outcomes)
    if (outcome.seen.verdict == Verdict::differs) add(wrong, outcome, engine, rules);
  return {.label = fmt::format("Silently wrong on {} {}", engine.target.project, print_version(engine)),
          .text = in_words(wrong)};
}

// The cases of all versions, by text.
std::map<std::string, Case> cases_of(const std::vector<const EngineRuns*>& versions) {
  std::map<std::string, Case> cases;
  for (const EngineRuns* engine : versions)
    for (const Outcome& outcome : engine->outcomes) cases.emplace(print(outcome.subject), outcome.subject);
  return cases;
}

VersionsView view_of(const Sources& sources, const std::vector<const EngineRuns*>& versions) {
  const EngineRuns& newest = *versions.back();
  VersionsView view{.engine = newest.table.engine + ", " + newest.table.device};
  for (const EngineRuns* engine : versions) view.versions.push_back(print_version(*engine));
  int same = 0;
  Changes changes;
  for (const auto& [text, subject] : cases_of(versions)) {
    const Case& c = subject;
    ChangedRow row{.order = order_of(c)};
    for (const EngineRuns* engine : versions) row.cells.push_back(cell_of(*engine, c));
    std::set<std::string> seen(row.cells.begin(), row.cells.end());
    seen.erase(kNotRun);
    if (seen.size() < 2) {
      // Count the case only if at least two versions ran it.
      if (std::ranges::count(row.cells, kNotRun) + 1 < std::ssize(row.cells)) ++same;
      continue;
    }
    const Outcome* outcome = find_outcome(newest, c);
    const std::string change = outcome == nullptr ? "" : change_of(*outcome, versions, sources.rules, changes);
    row.change = change.empty() ? "" : fmt::format("{} in {}", change, print(*newest.target.version));
    std::set<std::string> fired;
    for (const EngineRuns* engine : versions)
      if (const Outcome* other = find_outcome(*engine, c)) fired.insert(pages_that_fire(*other, sources.rules));
    if (fired.size() > 1) fired.erase("none");
    row.rules = join({fired.begin(), fired.end()}, ", ");
    view.rows.push_back(std::move(row));
  }
  view.same = std::to_string(same);
  if (is_of_project(newest)) {
    for (const EngineRuns* engine : versions) view.lines.push_back(silently_wrong(*engine, sources.rules));
    const std::string name = print(newest.target);
    view.lines.push_back({.label = "Gone in " + name, .text = in_words(changes.gone)});
    view.lines.push_back({.label = "New in " + name, .text = in_words(changes.fresh)});
  }
  return view;
}

}  // namespace

std::vector<VersionsView> versions_views(const Sources& sources, const std::vector<EngineRuns>& engines) {
  std::vector<VersionsView> views;
  for (const auto& versions : by_engine(engines))
    if (versions.size() > 1) views.push_back(view_of(sources, versions));
  return views;
}

}  // namespace ordercheck
