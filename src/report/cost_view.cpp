#include "report/cost_view.h"

#include <map>

#include "report/markdown.h"
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

}  // namespace

void add_cost(const EvidenceRow& row, const Case& c, EngineView& view) {
  const std::string order = code(print(c.stack));
  view.costs.push_back({.order = order,
                        .matmul_flops = thousands(row.counters.matmul_flops),
                        .parameter_bytes_peak = thousands(row.counters.parameter_bytes_peak),
                        .saved_bytes_peak = thousands(row.counters.saved_bytes_peak),
                        .operators_recomputed = thousands(row.counters.operators_recomputed)});
  std::map<std::pair<std::string, std::string>, Traffic> sums;
  for (const CollectiveCount& count : row.collectives) {
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

}  // namespace ordercheck
