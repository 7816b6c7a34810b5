#include "check/witness_parts.h"

#include "rule/match.h"

namespace ordercheck {

WitnessParts parts_of_witness(const Rule& rule) {
  const std::vector<Firing> firings = ordercheck::firings(rule, rule.witness.bad, job_of(rule.witness));
  WitnessParts parts;
  if (!firings.empty()) parts.fired = firings.front().items;
  parts.partners = partners_of(rule.witness.bad, rule.witness.good);
  parts.added = alone_in(rule.witness.good, parts.partners);
  return parts;
}

const WitnessParts& WitnessPartsOfPages::of(std::size_t page) const {
  const std::lock_guard lock(mutex_);
  if (!known_[page]) known_[page] = parts_of_witness(pages_[page]);
  return *known_[page];
}

}  // namespace ordercheck
