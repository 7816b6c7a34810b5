#include "report/pages/point_view.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "report/pages/markdown.h"
#include "report/pages/shown.h"
#include "rules/job.h"
#include "stack/notation.h"
#include "stack/trainer.h"

namespace ordercheck {
namespace {

bool works(Shown shown) { return shown == Shown::equal || shown == Shown::slower; }

const Outcome* run_on(const EngineRuns& engine, const Stack& stack, const Sources& sources) {
  const Space& space = space_of(sources, engine.table.engine);
  const std::string usual = space.models.empty() ? Case{}.model : space.models.front();
  return find_outcome(engine, usual_case(stack, model_of(stack, usual), engine.table.engine));
}

// The engine whose runs the row shows: the reader's version if it ran any of the point's opposite orders, else the first other
// project (not the engine of definitions) that did.
const EngineRuns* engine_for(const Point& point, const Sources& sources, const std::vector<EngineRuns>& engines) {
  const EngineRuns* other = nullptr;
  for (const EngineRuns& engine : engines) {
    const bool runs_one =
        std::ranges::any_of(point.turned, [&](const Stack& stack) { return run_on(engine, stack, sources) != nullptr; });
    if (!runs_one) continue;
    if (engine.target == reader_target(sources)) return &engine;
    const std::string& project = engine.target.project;
    const bool is_used = project != sources.reader && project != sources.definition;
    if (other == nullptr && is_used) other = &engine;
  }
  return other;
}

using Groups = std::vector<std::pair<std::string, std::vector<std::string>>>;  // results and their stacks

std::string in_words(const Groups& groups) {
  std::vector<std::string> parts;
  for (const auto& [words, stacks] : groups) parts.push_back(fmt::format("{}: {}", words, join(stacks, ", ")));
  return join(parts, "; ");
}

void add_to_group(Groups& groups, const std::string& words, const std::string& stack) {
  auto same = std::ranges::find(groups, words, [](const auto& group) { return group.first; });
  if (same == groups.end()) same = groups.insert(same, {words, {}});
  same->second.push_back(stack);
}

// Whether `other` contains the transforms of `stack` in the same order. Ignores the trainer.
bool is_part_of(const Stack& stack, const Stack& other) {
  auto at = other.items.begin();
  return std::ranges::all_of(stack.items, [&](const Item& item) {
    if (item.name == default_trainer().name) return true;
    at = std::ranges::find(at, other.items.end(), item.name, &Item::name);
    if (at == other.items.end()) return false;
    ++at;
    return true;
  });
}

// The engines that measure every effect: the reader's version, and the one that builds transforms from their definitions. On
// other engines an equal run may hide a missing effect.
std::vector<const EngineRuns*> engines_that_prove(const Sources& sources, const std::vector<EngineRuns>& engines) {
  std::vector<const EngineRuns*> found;
  for (const EngineRuns& engine : engines)
    if (engine.target == reader_target(sources)) found.push_back(&engine);
  for (const EngineRuns& engine : engines)
    if (engine.target.project == sources.definition) found.push_back(&engine);
  return found;
}

bool ran_anywhere(const Stack& stack, const Sources& sources, const std::vector<EngineRuns>& engines) {
  return std::ranges::any_of(engines, [&](const EngineRuns& engine) { return run_on(engine, stack, sources) != nullptr; });
}

// For each stack that goes wrong in the opposite order: one run with options that made it work, if there is one. Looks at the
// reader's version first. Also lists variants without any run.
std::string elsewhere_in_words(const Point& point, const std::vector<Stack>& harmed, const Sources& sources,
                               const std::vector<EngineRuns>& engines) {
  Groups found;
  std::vector<Stack> candidates = point.variants;
  candidates.insert(candidates.end(), harmed.begin(), harmed.end());
  std::vector<std::string> unknown;
  for (const Stack& stack : harmed) {
    bool is_found = false, has_unrun_variant = false;
    for (const EngineRuns* engine : engines_that_prove(sources, engines))
      for (const Stack& candidate : candidates) {
        if (is_found || !is_part_of(stack, candidate)) continue;
        const Outcome* run = run_on(*engine, candidate, sources);
        if (run == nullptr || !works(shown_by(*run, sources, engine->target))) continue;
        is_found = true;
        add_to_group(found, print(engine->target), breakable_code(print(run->subject.stack)));
      }
    if (is_found) continue;
    for (const Stack& variant : point.variants)
      if (is_part_of(stack, variant) && !ran_anywhere(variant, sources, engines)) {
        add_to_group(found, "not run", code(print(variant)));
        has_unrun_variant = true;
      }
    if (!has_unrun_variant) unknown.push_back(code(print(stack)));
  }
  std::vector<std::string> parts;
  if (!found.empty()) parts.push_back(in_words(found));
  if (!point.elsewhere.empty()) parts.push_back(point.elsewhere);
  if (point.elsewhere.empty() && !unknown.empty())
    parts.push_back("no implementation known" + (found.empty() ? "" : " for " + join(unknown, ", ")));
  return join(parts, "; ");
}

PointView view_of(const Point& point, const Sources& sources, const std::vector<EngineRuns>& engines) {
  PointView view{.order = point.order, .said = point.said, .change = "not run", .needs = "", .elsewhere = ""};
  const EngineRuns* engine = engine_for(point, sources, engines);
  if (engine == nullptr) return view;
  Groups groups;
  std::vector<Stack> harmed;
  std::size_t working = 0;
  for (const Stack& stack : point.turned) {
    const Outcome* run = run_on(*engine, stack, sources);
    if (run == nullptr) continue;
    if (works(shown_by(*run, sources, engine->target)))
      ++working;
    else
      harmed.push_back(stack);
    add_to_group(groups, shown_in_words(*run, sources), breakable_code(print(run->subject.stack)));
  }
  const char* answer = harmed.empty() ? "yes" : working == 0 ? "no" : "in part";
  const std::string where = engine->target == reader_target(sources) ? "" : fmt::format(" (on {})", print(engine->target));
  view.change = fmt::format("{}{}: {}", answer, where, in_words(groups));
  if (harmed.empty()) return view;
  view.needs = point.needs;
  view.elsewhere = elsewhere_in_words(point, harmed, sources, engines);
  return view;
}

}  // namespace

std::vector<PointView> point_views(const Sources& sources, const std::vector<EngineRuns>& engines) {
  std::vector<PointView> views;
  for (const Point& point : sources.topics.points) views.push_back(view_of(point, sources, engines));
  return views;
}

}  // namespace ordercheck
