#include <fmt/format.h>

#include "parity/counters.h"
#include "parity/effect_families.h"

namespace ordercheck {

void show_recompute(Showing& showing, const EffectRuns& runs) {
  const Counters& with = runs.with.counters;
  const Counters without = runs.without ? runs.without->counters : Counters{};
  // What a captured backward computes again cannot always be told from the rest of it; then the products give it away.
  const bool in_graphs = runs.without && is_measured(with.matmul_flops) && is_measured(without.matmul_flops) &&
                         with.operators_recomputed <= without.operators_recomputed &&
                         with.matmul_flops > without.matmul_flops;
  if (in_graphs)
    showing.expect(true, fmt::format("{} matmul flops, {} without it", with.matmul_flops, without.matmul_flops));
  else if (showing.measured("operators recomputed", {with.operators_recomputed, without.operators_recomputed}))
    showing.expect(with.operators_recomputed > without.operators_recomputed,
                   fmt::format("{} operators recomputed, {} without it", with.operators_recomputed,
                               without.operators_recomputed));
  if (runs.without && showing.measured("bytes saved for backward", {with.saved_bytes_peak, without.saved_bytes_peak}))
    showing.expect(with.saved_bytes_peak < without.saved_bytes_peak,
                   fmt::format("bytes saved for backward {}, {} without it", with.saved_bytes_peak,
                               without.saved_bytes_peak));
}

void show_kept(Showing& showing, const EffectRuns& runs) {
  const auto with = runs.with.counters.operators_kept;
  const auto without = runs.without ? runs.without->counters.operators_kept : 0;
  if (showing.measured("results kept by its policy", {with, without}))
    showing.expect(with > without, fmt::format("{} results kept by its policy, {} without it", with, without));
}

}  // namespace ordercheck
