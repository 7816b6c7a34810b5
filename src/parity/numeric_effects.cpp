#include <algorithm>

#include <fmt/format.h>

#include "parity/effect_families.h"

namespace ordercheck {

void show_moved_numbers(Showing& showing, const EffectRuns& runs) {
  if (!runs.without) return;
  std::size_t moved = 0;
  const std::size_t steps = std::min(runs.with.steps.size(), runs.without->steps.size());
  for (std::size_t i = 0; i < steps; ++i) moved += runs.with.steps[i].loss != runs.without->steps[i].loss;
  showing.expect(moved > 0, fmt::format("{} of {} losses are others than without it", moved, steps));
}

void show_updates(Showing& showing, const EffectRuns& runs) {
  std::size_t changed = 0;
  for (const ParameterRecord& p : runs.with.parameters) changed += p.changed;
  showing.expect(changed > 0, fmt::format("{} of {} parameters changed", changed, runs.with.parameters.size()));
}

}  // namespace ordercheck
