#include "record/observation.h"

#include <fmt/format.h>

namespace ordercheck {

std::vector<std::string> lost_items(const Observation& seen) {
  std::vector<std::string> items;
  for (const Effect& effect : lost_effects(seen.effects)) items.push_back(effect.transform);
  return items;
}

std::string reason_of(const Observation& seen) {
  const std::vector<Effect> lost = lost_effects(seen.effects);
  return seen.verdict != Verdict::ignored || lost.empty() ? seen.message : loss_in_words(lost.front());
}

std::string verdict_in_words(const Observation& seen) {
  const char* verdict = name_of(seen.verdict);
  return seen.phase ? fmt::format("{} in {}", verdict, name_of(*seen.phase)) : verdict;
}

std::string place_of(const Observation& seen) {
  if (seen.difference) {
    const Difference& d = *seen.difference;
    return fmt::format("{}, step {}{}", d.what, d.step, d.rank >= 0 ? fmt::format(", rank {}", d.rank) : "");
  }
  std::string place = seen.module;
  if (!seen.operation.empty()) place += (place.empty() ? "" : ", ") + seen.operation;
  if (!seen.group.empty()) place += " on " + seen.group;
  return place;
}

}  // namespace ordercheck
