#include <fmt/format.h>

#include "parity/counters.h"
#include "parity/effect_families.h"

namespace ordercheck {

void show_recompute(Showing& showing, const EffectRuns& runs) {
  const Counters& with = runs.with.counters;
  const Counters without = runs.without ? runs.without->counters : Counters{};
  if (showing.measured("operators recomputed", {with.operators_recomputed, without.operators_recomputed}))
    showing.expect(
        with.operators_recomputed > without.operators_recomputed,
        fmt::format("{} operators recomputed, {} without it", with.operators_recomputed, without.operators_recomputed));
  if (runs.without && showing.measured("bytes saved for backward", {with.saved_bytes_peak, without.saved_bytes_peak}))
    showing.expect(with.saved_bytes_peak < without.saved_bytes_peak,
                   fmt::format("bytes saved for backward {}, {} without it", with.saved_bytes_peak, without.saved_bytes_peak));
}

void show_kept(Showing& showing, const EffectRuns& runs) {
  const auto with = runs.with.counters.operators_kept;
  const auto without = runs.without ? runs.without->counters.operators_kept : 0;
  if (showing.measured("results kept by its policy", {with, without}))
    showing.expect(with > without, fmt::format("{} results kept by its policy, {} without it", with, without));
}

}  // namespace ordercheck
