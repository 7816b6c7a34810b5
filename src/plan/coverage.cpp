#include "plan/coverage.h"

#include <algorithm>

namespace ordercheck {
namespace {

using Chosen = std::vector<std::size_t>;  // parameters

std::size_t tuples_of(const Chosen& chosen, const Combinations& combinations) {
  std::size_t count = 1;
  for (const std::size_t p : chosen) count *= static_cast<std::size_t>(combinations.levels()[p]);
  return count;
}

std::size_t tuple_of(const Combination& combination, const Chosen& chosen, const Combinations& combinations) {
  std::size_t tuple = 0;
  for (const std::size_t p : chosen)
    tuple = tuple * static_cast<std::size_t>(combinations.levels()[p]) + static_cast<std::size_t>(combination[p]);
  return tuple;
}

// Which tuples of the chosen parameters these hold.
std::vector<bool> held_by(const std::vector<Combination>& rows, const Chosen& chosen, const Combinations& combinations) {
  std::vector<bool> held(tuples_of(chosen, combinations));
  for (const Combination& row : rows) held[tuple_of(row, chosen, combinations)] = true;
  return held;
}

std::vector<Combination> those(const Combinations& combinations, bool allowed) {
  std::vector<Combination> rows;
  for (std::size_t i = 0; i < combinations.size(); ++i)
    if (combinations.allows(i) == allowed) rows.push_back(combinations.at(i));
  return rows;
}

Partial part_of(const Combination& combination, const Chosen& chosen) {
  Partial part(combination.size(), -1);
  for (const std::size_t p : chosen) part[p] = combination[p];
  return part;
}

}  // namespace

Coverage coverage_of(const std::vector<Combination>& rows, const Combinations& combinations, int strength) {
  std::vector<Combination> legal;
  std::ranges::copy_if(rows, std::back_inserter(legal), [&](const Combination& row) { return combinations.allows(row); });
  const std::vector<Combination> allowed = those(combinations, true);
  Coverage coverage{.strength = strength, .rows = legal.size()};
  for (const Chosen& chosen : choices(combinations.parameters(), strength)) {
    const auto feasible = static_cast<std::size_t>(std::ranges::count(held_by(allowed, chosen, combinations), true));
    coverage.feasible += feasible;
    coverage.covered += static_cast<std::size_t>(std::ranges::count(held_by(legal, chosen, combinations), true));
    coverage.ruled_out += tuples_of(chosen, combinations) - feasible;
  }
  return coverage;
}

std::vector<Partial> least_ruled_out(const Combinations& combinations) {
  const std::vector<Combination> allowed = those(combinations, true);
  std::vector<Combination> unexplained = those(combinations, false);
  std::vector<Partial> least;
  for (int size = 1; !unexplained.empty() && size <= static_cast<int>(combinations.parameters()); ++size) {
    std::vector<bool> explained(unexplained.size());
    for (const Chosen& chosen : choices(combinations.parameters(), size)) {
      std::vector<bool> known = held_by(allowed, chosen, combinations);
      std::vector<bool> ruled_out(known.size());
      for (std::size_t i = 0; i < unexplained.size(); ++i) {
        const std::size_t tuple = tuple_of(unexplained[i], chosen, combinations);
        if (!known[tuple]) {
          known[tuple] = ruled_out[tuple] = true;
          least.push_back(part_of(unexplained[i], chosen));
        }
        if (ruled_out[tuple]) explained[i] = true;
      }
    }
    std::vector<Combination> left;
    for (std::size_t i = 0; i < unexplained.size(); ++i)
      if (!explained[i]) left.push_back(std::move(unexplained[i]));
    unexplained = std::move(left);
  }
  return least;
}

}  // namespace ordercheck
