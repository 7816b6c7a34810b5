#include "report/pages/set_view.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "base/wording.h"
#include "evidence/field.h"
#include "parity/counters.h"
#include "plan/orders.h"
#include "plan/result.h"
#include "report/pages/markdown.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

bool all_measured(const Observation& row) {
  return std::ranges::all_of(kCounters, [&](const CounterName& counter) { return is_measured(row.counters.*counter.value); });
}

std::vector<Outcome> runs_of(const Sources& sources, const EngineRuns& engine, const Stack& set, int ranks) {
  std::vector<Outcome> runs;
  for (const Stack& stack : orders_of_set(set, ranks)) {
    const Case c{.stack = stack, .model = space_of(sources, engine.table.engine).models.front(), .engine = engine.table.engine};
    if (const Outcome* outcome = find_outcome(engine, c)) runs.push_back(*outcome);
  }
  return runs;
}

// They are equal to one rank all, so that what tells their objects apart is counters and collectives.
std::string objects_of(const std::vector<Outcome>& runs) {
  std::set<std::string> objects;
  for (const Outcome& run : runs) {
    if (!shows_parity(run.seen.verdict)) continue;
    if (!all_measured(run.seen)) return "not measured";
    objects.insert(print_counters(without_modelled(run.seen.counters)) + " " + print_collectives(run.seen.collectives));
  }
  return objects.empty() ? "" : std::to_string(objects.size());
}

}  // namespace

std::vector<SetView> set_views(const Sources& sources, const EngineRuns& engine) {
  std::vector<SetView> views;
  const Space& space = space_of(sources, engine.table.engine);
  if (space.models.empty()) return views;
  for (const Stack& set : space.sets) {
    for (const int ranks : space.set_ranks) {
      const std::vector<Outcome> runs = runs_of(sources, engine, set, ranks);
      if (runs.empty()) continue;
      std::vector<std::string> names, verdicts;
      for (const Item& item : set.items) names.push_back(code(print(Stack{.items = {item}})));
      for (const auto& [verdict, count] : tally_of(runs, {}).verdicts)
        verdicts.push_back(fmt::format("{} {}", count, name_of(verdict)));
      views.push_back({.title = fmt::format("{} on {}", join(names, ", "), counted(ranks, "rank")),
                       .orders = std::to_string(runs.size()),
                       .verdicts = join(verdicts, ", "),
                       .objects = objects_of(runs)});
    }
  }
  return views;
}

}  // namespace ordercheck
