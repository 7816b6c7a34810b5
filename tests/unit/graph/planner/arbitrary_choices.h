// Small choice problems drawn at random, and all their solutions of the least cost by trying every one.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "graph/planner/reduced_choices.h"

namespace ordercheck::placing {

// Costs of so few values that many solutions cost the same; some are forbidden, some unknowns are under a limit.
inline ChoiceProblem arbitrary_problem() {
  ChoiceProblem problem;
  const auto cost = [] { return *rc::gen::element<Nanoseconds>(0, 0, 1, 1, 2, kForbidden); };
  const int count = *rc::gen::inRange(2, 6);
  for (int unknown = 0; unknown < count; ++unknown) {
    OpenChoice open{.name = std::string(1, static_cast<char>('u' + unknown)), .choices = {"a", "b", "c"}, .costs = {}};
    for (std::size_t choice = 0; choice < 3; ++choice) open.costs.push_back(cost());
    problem.unknowns.push_back(open);
  }
  for (int first = 0; first < count; ++first) {
    for (int second = first + 1; second < count; ++second) {
      if (*rc::gen::inRange(0, 3) == 0) continue;
      CostTable table(3, 3);
      for (Nanoseconds& entry : table.entries) entry = cost();
      problem.add_pair(first, second, table);
    }
  }
  if (*rc::gen::arbitrary<bool>())
    problem.limits.push_back({.name = "limit", .low = 1, .high = 3, .weights = {{0, {0, 1, 2}}, {1, {2, 1, 0}}}});
  return problem;
}

// All solutions of the least cost.
inline std::vector<std::vector<int>> optima(const ChoiceProblem& problem) {
  std::vector<std::vector<int>> best;
  Nanoseconds least = kForbidden - 1;
  std::vector<int> chosen(problem.unknowns.size(), 0);
  for (;;) {
    const Nanoseconds cost = cost_of(problem, chosen);
    if (cost < least) best.clear();
    least = std::min(least, cost);
    if (cost == least) best.push_back(chosen);
    std::size_t at = 0;
    while (at < chosen.size() && ++chosen[at] == static_cast<int>(problem.unknowns[at].choices.size())) chosen[at++] = 0;
    if (at == chosen.size()) return best;
  }
}

}  // namespace ordercheck::placing
