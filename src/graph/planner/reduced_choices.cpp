#include "graph/planner/reduced_choices.h"

#include <algorithm>
#include <numeric>

#include "graph/planner/ties.h"

namespace ordercheck::placing {
namespace {

CostTable transposed(const CostTable& table) {
  CostTable turned(table.columns, table.rows);
  for (std::size_t row = 0; row < table.rows; ++row) {
    for (std::size_t column = 0; column < table.columns; ++column) turned.at(column, row) = table.at(row, column);
  }
  return turned;
}

std::vector<int> name_order(const std::vector<std::string>& names) {
  std::vector<int> order(names.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](int at) { return names[at]; });
  return order;
}

template <class T>
std::vector<T> picked(const std::vector<T>& from, const std::vector<int>& order) {
  std::vector<T> made;
  for (const int at : order) made.push_back(from[at]);
  return made;
}

void forbid(ChoiceProblem& problem, int unknown, std::size_t choice) { problem.unknowns[unknown].costs[choice] = kForbidden; }

}  // namespace

SortedChoices sorted_by_name(const ChoiceProblem& problem) {
  SortedChoices sorted{.problem = problem, .original = {}};
  for (OpenChoice& unknown : sorted.problem.unknowns) {
    sorted.original.push_back(name_order(unknown.choices));
    unknown.choices = picked(unknown.choices, sorted.original.back());
    unknown.costs = picked(unknown.costs, sorted.original.back());
  }
  for (auto& [pair, table] : sorted.problem.pairs) {
    const CostTable before = table;
    for (std::size_t row = 0; row < table.rows; ++row) {
      for (std::size_t column = 0; column < table.columns; ++column)
        table.at(row, column) = before.at(sorted.original[pair.first][row], sorted.original[pair.second][column]);
    }
  }
  for (WeightLimit& limit : sorted.problem.limits) {
    for (auto& [unknown, weights] : limit.weights) weights = picked(weights, sorted.original[unknown]);
  }
  return sorted;
}

ReducedChoices::ReducedChoices(ChoiceProblem problem)
    : problem_(std::move(problem)),
      neighbours_(problem_.unknowns.size()),
      stands_(problem_.unknowns.size(), true),
      limited_(problem_.unknowns.size(), false) {
  for (const auto& [pair, table] : problem_.pairs) {
    neighbours_[pair.first].push_back(pair.second);
    neighbours_[pair.second].push_back(pair.first);
  }
}

bool ReducedChoices::has_choice(int unknown) const {
  return std::ranges::any_of(problem_.unknowns[unknown].costs, [](Nanoseconds cost) { return cost < kForbidden; });
}

// Forbids choices that break a limit whatever the others choose, and drops limits that no allowed choice can break.
bool ReducedChoices::tighten_limits() {
  for (bool changed = true; changed;) {
    changed = false;
    for (const WeightLimit& limit : problem_.limits) {
      std::map<int, std::pair<std::int64_t, std::int64_t>> ranges;
      std::int64_t least = 0, most = 0;
      for (const auto& [unknown, weights] : limit.weights) {
        bool any = false;
        for (std::size_t choice = 0; choice < weights.size(); ++choice) {
          if (problem_.unknowns[unknown].costs[choice] >= kForbidden) continue;
          auto& [low, high] = ranges[unknown];
          low = any ? std::min(low, weights[choice]) : weights[choice];
          high = any ? std::max(high, weights[choice]) : weights[choice];
          any = true;
        }
        if (!any) return false;
        least += ranges[unknown].first;
        most += ranges[unknown].second;
      }
      for (const auto& [unknown, weights] : limit.weights) {
        const auto [low, high] = ranges[unknown];
        for (std::size_t choice = 0; choice < weights.size(); ++choice) {
          if (problem_.unknowns[unknown].costs[choice] >= kForbidden) continue;
          if (least - low + weights[choice] <= limit.high && most - high + weights[choice] >= limit.low) continue;
          forbid(problem_, unknown, choice);
          changed = true;
        }
      }
      // A choice was forbidden, so the sums of other limits are outdated: start over.
      if (changed) break;
    }
  }
  std::erase_if(problem_.limits, [&](const WeightLimit& limit) {
    std::int64_t least = 0, most = 0;
    for (const auto& [unknown, weights] : limit.weights) {
      std::vector<std::int64_t> allowed;
      for (std::size_t choice = 0; choice < weights.size(); ++choice) {
        if (problem_.unknowns[unknown].costs[choice] < kForbidden) allowed.push_back(weights[choice]);
      }
      if (allowed.empty()) return false;
      least += std::ranges::min(allowed);
      most += std::ranges::max(allowed);
    }
    return limit.low <= least && most <= limit.high;
  });
  for (const WeightLimit& limit : problem_.limits) {
    for (const auto& [unknown, weights] : limit.weights) limited_[unknown] = true;
  }
  return true;
}

CostTable ReducedChoices::oriented(int unknown, int neighbour) const {
  if (unknown < neighbour) return problem_.pairs.at({unknown, neighbour});
  return transposed(problem_.pairs.at({neighbour, unknown}));
}

// Whether `by` costs less than `choice` for all choices of the neighbours, or as much with an earlier name. A neighbour's
// choice that forbids `by` prevents this; one that forbids `choice` is ignored.
bool ReducedChoices::is_beaten(int unknown, std::size_t choice, std::size_t by) const {
  Nanoseconds gain = problem_.unknowns[unknown].costs[choice] - problem_.unknowns[unknown].costs[by];
  for (const int neighbour : neighbours_[unknown]) {
    const bool first = unknown < neighbour;
    const CostTable& table = problem_.pairs.at(first ? std::pair(unknown, neighbour) : std::pair(neighbour, unknown));
    Nanoseconds least = kForbidden;
    const std::vector<Nanoseconds>& costs = problem_.unknowns[neighbour].costs;
    for (std::size_t other = 0; other < costs.size(); ++other) {
      if (costs[other] >= kForbidden) continue;
      const Nanoseconds own = first ? table.at(choice, other) : table.at(other, choice);
      const Nanoseconds others = first ? table.at(by, other) : table.at(other, by);
      if (own >= kForbidden) continue;
      if (others >= kForbidden) return false;
      least = std::min(least, own - others);
    }
    if (least >= kForbidden) return true;  // no choice of this neighbour goes with `choice`
    gain += least;
  }
  return gain > 0 || (gain == 0 && by < choice);
}

bool ReducedChoices::forbid_beaten(int unknown) {
  // A choice of an unknown in a WeightLimit is never dropped, since the cheaper one may violate the limit.
  if (limited_[unknown]) return false;
  std::vector<Nanoseconds>& costs = problem_.unknowns[unknown].costs;
  bool changed = false;
  for (std::size_t choice = 0; choice < costs.size(); ++choice) {
    if (costs[choice] >= kForbidden) continue;
    for (std::size_t by = 0; by < costs.size(); ++by) {
      if (by == choice || costs[by] >= kForbidden || !is_beaten(unknown, choice, by)) continue;
      forbid(problem_, unknown, choice);
      changed = true;
      break;
    }
  }
  return changed;
}

bool ReducedChoices::eliminate(int unknown) {
  const std::vector<int> around = neighbours_[unknown];
  if (limited_[unknown] || around.size() > 2) return false;
  Eliminated gone{.unknown = unknown, .costs = problem_.unknowns[unknown].costs, .pairs = {}};
  for (const int neighbour : around) {
    gone.pairs.emplace_back(neighbour, oriented(unknown, neighbour));
    problem_.pairs.erase({std::min(unknown, neighbour), std::max(unknown, neighbour)});
    std::erase(neighbours_[neighbour], unknown);
  }
  neighbours_[unknown].clear();
  stands_[unknown] = false;
  const auto best = [&](std::size_t first, std::size_t second) {
    Nanoseconds least = kForbidden;
    for (std::size_t choice = 0; choice < gone.costs.size(); ++choice) {
      Nanoseconds cost = gone.costs[choice];
      if (!gone.pairs.empty()) cost = add_costs(cost, gone.pairs[0].second.at(choice, first));
      if (gone.pairs.size() > 1) cost = add_costs(cost, gone.pairs[1].second.at(choice, second));
      least = std::min(least, cost);
    }
    return least;
  };
  if (around.size() == 1) {
    std::vector<Nanoseconds>& costs = problem_.unknowns[around[0]].costs;
    for (std::size_t choice = 0; choice < costs.size(); ++choice) costs[choice] = add_costs(costs[choice], best(choice, 0));
  }
  if (around.size() == 2) {
    CostTable table(problem_.unknowns[around[0]].costs.size(), problem_.unknowns[around[1]].costs.size());
    for (std::size_t row = 0; row < table.rows; ++row) {
      for (std::size_t column = 0; column < table.columns; ++column) {
        const bool is_allowed =
            problem_.unknowns[around[0]].costs[row] < kForbidden && problem_.unknowns[around[1]].costs[column] < kForbidden;
        table.at(row, column) = is_allowed ? best(row, column) : kForbidden;
      }
    }
    const bool is_new = !problem_.pairs.contains({std::min(around[0], around[1]), std::max(around[0], around[1])});
    problem_.add_pair(around[0], around[1], table);
    if (is_new) {
      neighbours_[around[0]].push_back(around[1]);
      neighbours_[around[1]].push_back(around[0]);
    }
  }
  if (around.empty()) problem_.unknowns[unknown].costs = gone.costs;
  eliminated_.push_back(std::move(gone));
  return true;
}

bool ReducedChoices::reduce(bool eliminating) {
  if (!tighten_limits()) return false;
  for (bool changed = true; changed;) {
    changed = false;
    for (int unknown = 0; unknown < static_cast<int>(stands_.size()); ++unknown) {
      if (!stands_[unknown]) continue;
      if (!has_choice(unknown)) return false;
      const bool beaten = forbid_beaten(unknown);
      if (!has_choice(unknown)) return false;
      const bool eliminated = eliminating && eliminate(unknown);
      changed = changed || beaten || eliminated;
    }
  }
  return true;
}

void ReducedChoices::complete(std::vector<int>& chosen) const {
  // In reverse, because an unknown may depend on those eliminated after it.
  for (auto gone = eliminated_.rbegin(); gone != eliminated_.rend(); ++gone) {
    Nanoseconds least = kForbidden;
    for (std::size_t choice = 0; choice < gone->costs.size(); ++choice) {
      Nanoseconds cost = gone->costs[choice];
      for (const auto& [neighbour, table] : gone->pairs) cost = add_costs(cost, table.at(choice, chosen[neighbour]));
      // Choices are sorted by name, so ties keep the first.
      if (cost >= least) continue;
      least = cost;
      chosen[gone->unknown] = static_cast<int>(choice);
    }
  }
}

void ChoiceProblem::add_pair(int first, int second, const CostTable& table) {
  if (first == second) {
    for (std::size_t choice = 0; choice < table.rows; ++choice)
      unknowns[first].costs[choice] = add_costs(unknowns[first].costs[choice], table.at(choice, choice));
    return;
  }
  const bool turned = first > second;
  CostTable& sum = pairs[{std::min(first, second), std::max(first, second)}];
  if (sum.entries.empty()) sum = turned ? CostTable(table.columns, table.rows) : CostTable(table.rows, table.columns);
  for (std::size_t row = 0; row < table.rows; ++row) {
    for (std::size_t column = 0; column < table.columns; ++column) {
      Nanoseconds& entry = turned ? sum.at(column, row) : sum.at(row, column);
      entry = add_costs(entry, table.at(row, column));
    }
  }
}

bool keeps_limits(const ChoiceProblem& problem, const std::vector<int>& chosen) {
  return std::ranges::all_of(problem.limits, [&](const WeightLimit& limit) {
    std::int64_t weight = 0;
    for (const auto& [unknown, weights] : limit.weights) weight += weights[chosen[unknown]];
    return weight >= limit.low && weight <= limit.high;
  });
}

Nanoseconds cost_of(const ChoiceProblem& problem, const std::vector<int>& chosen) {
  Nanoseconds sum = 0;
  for (std::size_t unknown = 0; unknown < chosen.size(); ++unknown)
    sum = add_costs(sum, problem.unknowns[unknown].costs[chosen[unknown]]);
  for (const auto& [pair, table] : problem.pairs) sum = add_costs(sum, table.at(chosen[pair.first], chosen[pair.second]));
  return keeps_limits(problem, chosen) ? sum : kForbidden;
}

Result<ChoiceSolution> solve_choices(const ChoiceProblem& problem, ProgramSolver solver, bool reduce) {
  const SortedChoices sorted = sorted_by_name(problem);
  ReducedChoices reduced(sorted.problem);
  ChoiceSolution solution;
  if (reduce && !reduced.reduce()) return solution;
  const Result<std::vector<int>> settled = settle(reduced, solver, solution.feasible);
  if (!settled) return settled.error();
  if (!solution.feasible) return solution;
  std::vector<int> chosen = *settled;
  reduced.complete(chosen);
  solution.cost = cost_of(sorted.problem, chosen);
  if (solution.cost >= kForbidden) return Error{"the solver's answer breaks a rule of the program that it was given"};
  for (std::size_t unknown = 0; unknown < chosen.size(); ++unknown)
    solution.chosen.push_back(sorted.original[unknown][chosen[unknown]]);
  return solution;
}

}  // namespace ordercheck::placing
