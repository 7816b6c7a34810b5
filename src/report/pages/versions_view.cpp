#include "report/pages/versions_view.h"

#include <algorithm>
#include <set>

#include "report/pages/markdown.h"
#include "report/pages/rule_view.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

constexpr const char* kNotRun = "not run";

std::string cell_of(const EngineRuns& engine, const Case& c) {
  const Outcome* outcome = find_outcome(engine, c);
  return outcome == nullptr ? kNotRun : verdict_in_words(outcome->seen);
}

VersionsView view_of(const Sources& sources, const std::vector<const EngineRuns*>& versions) {
  const EngineRuns& newest = *versions.back();
  VersionsView view{.engine = newest.table.engine + ", " + newest.table.device};
  for (const EngineRuns* engine : versions) view.versions.push_back(print(*engine->target.version));
  int same = 0;
  for (const Outcome& outcome : newest.outcomes) {
    const Case& c = outcome.subject;
    ChangedRow row{.order = code(print(c.stack))};
    for (const EngineRuns* engine : versions) row.cells.push_back(cell_of(*engine, c));
    std::set<std::string> seen(row.cells.begin(), row.cells.end());
    seen.erase(kNotRun);
    if (seen.size() < 2) {
      ++same;
      continue;
    }
    row.rules = pages_that_fire(outcome, sources.rules);
    view.rows.push_back(std::move(row));
  }
  view.same = std::to_string(same);
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
