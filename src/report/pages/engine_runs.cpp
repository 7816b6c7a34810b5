#include "report/pages/engine_runs.h"

#include <algorithm>
#include <limits>
#include <map>
#include <ranges>
#include <set>

#include <fmt/format.h>

#include "stack/trainer.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

// The capabilities that the engine must have for the runs in the table.
Hello hello_of(const EvidenceTable& table) {
  std::map<std::string, BuiltTransform> transforms;
  std::set<std::string> models;
  for (const Observation& row : table.rows) {
    const auto c = parse_case(row.case_text);
    if (!c || row.ending == Ending::unsupported) continue;
    models.insert(c->model);
    for (const Item& item : c->stack.items) transforms[item.name].name = item.name;
  }
  const auto built = std::views::values(transforms);
  return {.engine = table.engine,
          .versions = table.versions,
          .devices = {table.device},
          .transforms = {built.begin(), built.end()},
          .models = {models.begin(), models.end()},
          .max_ranks = std::numeric_limits<int>::max()};
}

}  // namespace

std::vector<EngineRuns> engine_runs_of(const Sources& sources) {
  std::vector<EngineRuns> engines;
  const Catalogue catalogue(sources.rules);
  for (const EvidenceTable& table : sources.evidence) {
    if (table.arithmetic != name_of(Arithmetic::exact)) continue;
    EngineRuns engine{.target = target_of(hello_of(table)), .table = table, .outcomes = {}};
    for (const Observation& row : table.rows)
      if (const auto c = parse_case(row.case_text)) engine.outcomes.push_back(outcome_of(*c, row, catalogue, engine.target));
    std::vector<Outcome*> outcomes;
    for (Outcome& outcome : engine.outcomes) outcomes.push_back(&outcome);
    hold_pairs_against_rules(outcomes, sources.rules, engine.target);
    engines.push_back(std::move(engine));
  }
  return engines;
}

std::vector<EngineRuns> that_decide(std::vector<EngineRuns> engines) {
  std::erase_if(engines, [](const EngineRuns& engine) { return !decides(engine.table); });
  return engines;
}

const EngineRuns* newest_that_decides(const std::string& engine, const std::vector<EngineRuns>& engines) {
  const EngineRuns* newest = nullptr;
  for (const EngineRuns& runs : engines)
    if (runs.target.project == engine && decides(runs.table) &&
        (newest == nullptr || *newest->target.version < *runs.target.version))
      newest = &runs;
  return newest;
}

const Outcome* find_outcome(const EngineRuns& engine, const Case& c) {
  // Write out the default trainer on both sides before comparing.
  const auto trained = [](Case subject) {
    subject.stack = with_trainer(subject.stack);
    return subject;
  };
  const auto found = std::ranges::find(engine.outcomes, trained(c), [&](const Outcome& o) { return trained(o.subject); });
  return found == engine.outcomes.end() ? nullptr : &*found;
}

std::vector<std::vector<const EngineRuns*>> by_engine(const std::vector<EngineRuns>& engines) {
  std::map<std::pair<std::string, std::string>, std::vector<const EngineRuns*>> kinds;
  for (const EngineRuns& engine : engines) kinds[{engine.table.engine, engine.table.device}].push_back(&engine);
  std::vector<std::vector<const EngineRuns*>> sorted;
  for (auto& [kind, versions] : kinds) {
    std::ranges::stable_sort(versions, {}, [](const EngineRuns* engine) { return *engine->target.version; });
    sorted.push_back(std::move(versions));
  }
  return sorted;
}

std::vector<std::string> built_by(const EngineRuns& engine) { return names_in(hello_of(engine.table).transforms); }

bool is_of_project(const EngineRuns& engine) { return !platform_of(engine.table).empty(); }

std::string print_version(const EngineRuns& engine) {
  const std::string platform = platform_of(engine.table);
  return print(*engine.target.version) + (platform.empty() ? "" : " on " + platform);
}

std::string print_engine(const EngineRuns& engine) {
  return fmt::format("{} {}, {}", engine.target.project, print_version(engine), engine.table.device);
}

}  // namespace ordercheck
