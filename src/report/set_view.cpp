#include "report/set_view.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "base/wording.h"
#include "evidence/field.h"
#include "parity/counters.h"
#include "plan/orders.h"
#include "report/cost_view.h"
#include "report/markdown.h"
#include "report/rule_view.h"
#include "rule/counters.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

struct SetRun {
  std::string order;
  const Outcome* outcome;
  const Observation& seen() const { return outcome->seen; }
};

bool completed(const SetRun& run) { return run.seen().ending == Ending::completed; }

bool all_measured(const Observation& row) {
  return std::ranges::all_of(kCounters, [&](const CounterName& counter) { return is_measured(row.counters.*counter.value); });
}

// What two orders must share to be the same object for all that a run can tell: they are equal to one rank both, so it
// is counters and collectives.
std::string footprint(const Observation& row) {
  return print_counters(row.counters) + " " + print_collectives(row.collectives);
}

std::vector<SetRun> runs_of(const Sources& sources, const EngineRuns& engine, const Stack& set, int ranks) {
  std::vector<SetRun> runs;
  for (const Stack& stack : orders_of_set(set, ranks)) {
    const Case c{.stack = stack, .model = space_of(sources, engine.table.engine).models.front(), .engine = engine.table.engine};
    if (const Outcome* outcome = find_outcome(engine, c)) runs.push_back({code(print(stack)), outcome});
  }
  std::ranges::stable_sort(runs, {}, [](const SetRun& run) { return run.seen().verdict; });
  return runs;
}

void add_counters(const std::vector<SetRun>& runs, SetView& view) {
  std::vector<std::string> alike;
  for (const auto& [name, none] : counter_values({}, {})) {
    std::vector<std::int64_t> values;
    for (const SetRun& run : runs)
      if (completed(run)) values.push_back(counter_values(run.seen().counters, {}).at(name));
    const bool varies = std::ranges::adjacent_find(values, std::not_equal_to<>{}) != values.end();
    if (!varies) {
      if (!values.empty() && values.front() != none)
        alike.push_back(counter_in_words(name) + " " + counter_text(values.front()));
      continue;
    }
    view.counters.push_back(counter_in_words(name));
    auto value = values.begin();
    for (std::size_t i = 0; i < runs.size(); ++i)
      view.rows[i].cells.push_back(completed(runs[i]) ? counter_text(*value++) : "");
  }
  view.alike = join(alike, ", ");
}

void add_letters(const std::vector<SetRun>& runs, SetView& view) {
  std::map<std::string, std::string> letters;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!shows_parity(runs[i].seen().verdict) || !all_measured(runs[i].seen())) continue;
    const auto next = std::string(1, static_cast<char>('A' + letters.size() % 26));
    view.rows[i].same = letters.emplace(footprint(runs[i].seen()), next).first->second;
  }
}

}  // namespace

std::vector<SetView> set_views(const Sources& sources, const EngineRuns& engine) {
  std::vector<SetView> views;
  const Space& space = space_of(sources, engine.table.engine);
  if (space.models.empty()) return views;
  for (const Stack& set : space.sets) {
    for (const int ranks : space.set_ranks) {
      const std::vector<SetRun> runs = runs_of(sources, engine, set, ranks);
      if (runs.empty()) continue;
      std::vector<std::string> names;
      for (const Item& item : set.items) names.push_back(code(print(Stack{.items = {item}})));
      SetView view{.title = fmt::format("{} on {}", join(names, ", "), counted(ranks, "rank"))};
      for (const SetRun& run : runs) {
        view.rows.push_back({.order = run.order,
                             .verdict = verdict_in_words(run.outcome->seen),
                             .rules = pages_that_fire(*run.outcome, sources.rules)});
      }
      add_counters(runs, view);
      add_letters(runs, view);
      views.push_back(std::move(view));
    }
  }
  return views;
}

}  // namespace ordercheck
