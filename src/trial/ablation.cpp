#include "trial/ablation.h"

#include "parity/difference.h"
#include "stack/notation.h"

namespace ordercheck {

std::vector<std::string> right_without(const Trial& trial) {
  const Case& c = trial.planned.subject;
  const PendingRun& reference = trial.layouts.reference;
  if (c.stack.items.size() < 2) return {};  // nothing is left without it
  if (c.settings.arithmetic != Arithmetic::exact || !reference.completed()) return {};
  std::vector<std::string> items;
  for (std::size_t i = 0; i < trial.twins.size(); ++i) {
    const PendingRun& twin = trial.twins[i];
    if (!twin.completed() || reference_of(twin.subject()) != reference.subject()) continue;
    if (!first_difference(reference.record(), twin.record())) items.push_back(print(c.stack.items[i]));
  }
  return items;
}

}  // namespace ordercheck
