#include "report/cost_view.h"

#include <algorithm>
#include <map>

#include "parity/counters.h"
#include "report/markdown.h"
#include "rule/counters.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

struct Traffic {
  std::int64_t forward = 0, recompute = 0, backward = 0, optimizer = 0, elsewhere = 0, bytes = 0;
};

std::int64_t& of_phase(Traffic& traffic, Phase phase) {
  switch (phase) {
    case Phase::forward: return traffic.forward;
    case Phase::recompute: return traffic.recompute;
    case Phase::backward: return traffic.backward;
    case Phase::optimizer: return traffic.optimizer;
    default: return traffic.elsewhere;
  }
}

void add_counters(const std::vector<const Outcome*>& runs, EngineView& view) {
  for (const Outcome* run : runs) view.costs.push_back({.order = code(print(run->subject.stack)), .cells = {}});
  for (const auto& [name, none] : counter_values({}, {})) {
    std::vector<std::int64_t> values;
    for (const Outcome* run : runs) values.push_back(counter_values(run->seen.counters, {}).at(name));
    if (std::ranges::count(values, none) == std::ssize(values)) continue;
    view.cost_names.push_back(counter_in_words(name));
    for (std::size_t i = 0; i < values.size(); ++i) view.costs[i].cells.push_back(counter_text(values[i]));
  }
}

void add_traffic(const Outcome& run, EngineView& view) {
  const std::string order = code(print(run.subject.stack));
  std::map<std::pair<std::string, std::string>, Traffic> sums;
  for (const CollectiveCount& count : run.seen.collectives) {
    Traffic& traffic = sums[{count.kind, count.group}];
    of_phase(traffic, count.phase) += count.count;
    traffic.bytes += count.bytes;
  }
  for (const auto& [key, sum] : sums)
    view.traffic.push_back({.order = order,
                            .kind = key.first,
                            .group = key.second,
                            .forward = thousands(sum.forward),
                            .recompute = thousands(sum.recompute),
                            .backward = thousands(sum.backward),
                            .optimizer = thousands(sum.optimizer),
                            .elsewhere = thousands(sum.elsewhere),
                            .bytes = thousands(sum.bytes)});
}

}  // namespace

std::string counter_in_words(std::string name) {
  std::ranges::replace(name, '_', ' ');
  return name;
}

std::string counter_text(std::int64_t value) { return is_measured(value) ? thousands(value) : "not measured"; }

void add_costs(const std::vector<const Outcome*>& runs, EngineView& view) {
  add_counters(runs, view);
  for (const Outcome* run : runs) add_traffic(*run, view);
}

}  // namespace ordercheck
