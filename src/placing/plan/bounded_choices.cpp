#include "placing/plan/bounded_choices.h"

#include <algorithm>
#include <cstddef>

namespace ordercheck::placing {
namespace {

// Costs are shifted in parts of a nanosecond, so that little is lost where a share of them is rounded.
constexpr Nanoseconds kParts = 64;
// Above every cost and shift: these stay below 2^58 for costs that sum to less than kMostCosts, in kMostPasses.
constexpr Nanoseconds kNever = std::int64_t{1} << 61;
constexpr Nanoseconds kFar = std::int64_t{1} << 59;
constexpr Nanoseconds kMostCosts = std::int64_t{1} << 43;
constexpr int kMostPasses = 400;
constexpr int kPassesOfARound = 20;

// One of both unknowns of a pair, and on which side of its table it stands.
struct PairSide {
  int pair = 0;
  bool rows = true;
};

// An unknown that stands, its allowed choices alone, with what was shifted to them.
struct ShiftedUnknown {
  int unknown = 0;
  std::vector<int> choices;
  std::vector<Nanoseconds> costs;
  std::vector<PairSide> earlier, later;  // by whether the other unknown stands before or behind this one
};

// A pair over allowed choices, and what was shifted from it to either unknown.
struct ShiftedPair {
  std::size_t first = 0, second = 0;  // places among the unknowns that stand
  std::size_t rows = 0, columns = 0;
  std::vector<Nanoseconds> entries;
  std::vector<Nanoseconds> to_rows, to_columns;

  Nanoseconds left(std::size_t row, std::size_t column) const {
    return entries[row * columns + column] - to_rows[row] - to_columns[column];
  }

  // For each row, or for each column, what is left of its cheapest entry.
  std::vector<Nanoseconds> least(bool of_rows) const {
    std::vector<Nanoseconds> found(of_rows ? rows : columns, kNever);
    for (std::size_t row = 0; row < rows; ++row) {
      const Nanoseconds* entry = entries.data() + row * columns;
      Nanoseconds low = kNever;
      for (std::size_t column = 0; column < columns; ++column) {
        if (of_rows)
          low = std::min(low, entry[column] - to_columns[column]);
        else
          found[column] = std::min(found[column], entry[column] - to_rows[row]);
      }
      if (of_rows) found[row] = low - to_rows[row];
    }
    for (std::size_t column = 0; !of_rows && column < columns; ++column) found[column] -= to_columns[column];
    return found;
  }
};

// Costs of every solution as they were, spread otherwise.
class ShiftedCosts {
 public:
  ShiftedCosts(const ChoiceProblem& problem, const std::vector<bool>& stands) {
    std::vector<std::size_t> places(stands.size());
    for (std::size_t unknown = 0; unknown < stands.size(); ++unknown) {
      if (!stands[unknown]) continue;
      places[unknown] = unknowns_.size();
      add_unknown(static_cast<int>(unknown), problem.unknowns[unknown].costs);
    }
    for (const auto& [pair, table] : problem.pairs) add_pair(places[pair.first], places[pair.second], table);
  }

  const std::vector<ShiftedUnknown>& unknowns() const { return unknowns_; }
  const std::vector<ShiftedPair>& pairs() const { return pairs_; }
  Nanoseconds most() const { return most_; }  // above what any solution costs

  // To an unknown, all that the pair has to spare.
  void take(std::size_t place, const PairSide& side) {
    const std::vector<Nanoseconds> least = pairs_[side.pair].least(side.rows);
    for (std::size_t choice = 0; choice < least.size(); ++choice) {
      if (least[choice] < kFar) shift(place, side, choice, least[choice]);
    }
  }

  void give(std::size_t place, const PairSide& side, const std::vector<Nanoseconds>& share) {
    for (std::size_t choice = 0; choice < share.size(); ++choice) shift(place, side, choice, -share[choice]);
  }

  Nanoseconds bound() const {
    Nanoseconds sum = 0;
    for (const ShiftedUnknown& each : unknowns_) sum += std::ranges::min(each.costs);
    for (const ShiftedPair& pair : pairs_) {
      const Nanoseconds least = std::ranges::min(pair.least(true));
      if (least < kFar) sum += least;
    }
    return sum;
  }

 private:
  void add_unknown(int unknown, const std::vector<Nanoseconds>& costs) {
    ShiftedUnknown& added = unknowns_.emplace_back(ShiftedUnknown{.unknown = unknown});
    Nanoseconds most = 0;
    for (int choice = 0; choice < static_cast<int>(costs.size()); ++choice) {
      if (costs[choice] >= kForbidden) continue;
      added.choices.push_back(choice);
      added.costs.push_back(costs[choice] * kParts);
      most = std::max(most, costs[choice]);
    }
    most_ = add_costs(most_, most);
  }

  void add_pair(std::size_t first, std::size_t second, const CostTable& table) {
    ShiftedPair added{
        .first = first, .second = second, .rows = unknowns_[first].choices.size(), .columns = unknowns_[second].choices.size()};
    Nanoseconds most = 0;
    for (const int row : unknowns_[first].choices) {
      for (const int column : unknowns_[second].choices) {
        const Nanoseconds cost = table.at(row, column);
        added.entries.push_back(cost >= kForbidden ? kNever : cost * kParts);
        if (cost < kForbidden) most = std::max(most, cost);
      }
    }
    most_ = add_costs(most_, most);
    added.to_rows.assign(added.rows, 0);
    added.to_columns.assign(added.columns, 0);
    const int number = static_cast<int>(pairs_.size());
    unknowns_[first].later.push_back({.pair = number, .rows = true});
    unknowns_[second].earlier.push_back({.pair = number, .rows = false});
    pairs_.push_back(std::move(added));
  }

  void shift(std::size_t place, const PairSide& side, std::size_t choice, Nanoseconds cost) {
    ShiftedPair& pair = pairs_[side.pair];
    (side.rows ? pair.to_rows : pair.to_columns)[choice] += cost;
    unknowns_[place].costs[choice] += cost;
  }

  std::vector<ShiftedUnknown> unknowns_;
  std::vector<ShiftedPair> pairs_;
  Nanoseconds most_ = 0;
};

// Lifts the bound, and decides for a solution on the way.
class MessagePassing {
 public:
  MessagePassing(const ChoiceProblem& problem, ShiftedCosts& costs)
      : problem_(problem), costs_(costs), decided_(costs.unknowns().size(), 0) {}

  // Until a round lifts the bound no more.
  BoundOfCosts run() {
    Nanoseconds bound = costs_.bound();
    for (int count = 0; count < kMostPasses; ++count) {
      pass(count % 2 == 0);
      known_ = std::min(known_, cost_of_decided());
      if (count % kPassesOfARound != kPassesOfARound - 1) continue;
      const Nanoseconds lifted = costs_.bound();
      if (lifted < bound + kParts || lifted > costs_.most() * kParts) break;
      bound = lifted;
    }
    return {.least = costs_.bound() / kParts, .known = known_};
  }

 private:
  // Each unknown takes what its pairs have to spare, decides, and gives an equal share to every pair that is still to come.
  void pass(bool forward) {
    const std::size_t count = costs_.unknowns().size();
    for (std::size_t step = 0; step < count; ++step) {
      const std::size_t place = forward ? step : count - 1 - step;
      const ShiftedUnknown& unknown = costs_.unknowns()[place];
      const auto& behind = forward ? unknown.earlier : unknown.later;
      const auto& ahead = forward ? unknown.later : unknown.earlier;
      for (const PairSide& side : ahead) costs_.take(place, side);
      decide(place, behind);
      for (const PairSide& side : behind) costs_.take(place, side);
      std::vector<Nanoseconds> share = unknown.costs;
      for (Nanoseconds& each : share) each /= static_cast<Nanoseconds>(std::max({behind.size(), ahead.size(), std::size_t{1}}));
      for (const PairSide& side : ahead) costs_.give(place, side, share);
    }
  }

  // By its own costs, and by those of its pairs with unknowns that have decided.
  void decide(std::size_t place, const std::vector<PairSide>& behind) {
    const std::vector<Nanoseconds>& own = costs_.unknowns()[place].costs;
    Nanoseconds least = kNever;
    for (std::size_t choice = 0; choice < own.size(); ++choice) {
      Nanoseconds cost = own[choice];
      for (const PairSide& side : behind) {
        if (cost >= kFar) break;
        const ShiftedPair& pair = costs_.pairs()[side.pair];
        cost += side.rows ? pair.left(choice, decided_[pair.second]) : pair.left(decided_[pair.first], choice);
      }
      if (cost >= least) continue;
      least = cost;
      decided_[place] = choice;
    }
  }

  // By the problem's own costs; kForbidden where it is no solution.
  Nanoseconds cost_of_decided() const {
    std::vector<int> chosen(problem_.unknowns.size(), 0);
    Nanoseconds sum = 0;
    for (std::size_t place = 0; place < decided_.size(); ++place) {
      const ShiftedUnknown& each = costs_.unknowns()[place];
      chosen[each.unknown] = each.choices[decided_[place]];
      sum = add_costs(sum, problem_.unknowns[each.unknown].costs[chosen[each.unknown]]);
    }
    for (const auto& [pair, table] : problem_.pairs) sum = add_costs(sum, table.at(chosen[pair.first], chosen[pair.second]));
    return keeps_limits(problem_, chosen) ? sum : kForbidden;
  }

  const ChoiceProblem& problem_;
  ShiftedCosts& costs_;
  std::vector<std::size_t> decided_;
  Nanoseconds known_ = kForbidden;
};

std::vector<Nanoseconds> above_least(std::vector<Nanoseconds> costs) {
  const Nanoseconds least = std::ranges::min(costs);
  for (Nanoseconds& cost : costs) cost = cost >= kFar ? kFar : cost - least;
  return costs;
}

// What each choice lifts the bound by: on its own and through every one of its pairs.
std::vector<std::vector<Nanoseconds>> lifts_of(const ShiftedCosts& costs) {
  std::vector<std::vector<Nanoseconds>> lifts;
  for (const ShiftedUnknown& each : costs.unknowns()) lifts.push_back(above_least(each.costs));
  const auto add = [](std::vector<Nanoseconds>& to, const std::vector<Nanoseconds>& lift) {
    for (std::size_t choice = 0; choice < to.size(); ++choice) to[choice] = std::min(kFar, to[choice] + lift[choice]);
  };
  for (const ShiftedPair& pair : costs.pairs()) {
    add(lifts[pair.first], above_least(pair.least(true)));
    add(lifts[pair.second], above_least(pair.least(false)));
  }
  return lifts;
}

void forbid_choices(ChoiceProblem& problem, const ShiftedCosts& costs, const std::vector<std::vector<Nanoseconds>>& lifts,
                    Nanoseconds spare) {
  for (std::size_t place = 0; place < lifts.size(); ++place) {
    const ShiftedUnknown& each = costs.unknowns()[place];
    for (std::size_t choice = 0; choice < lifts[place].size(); ++choice) {
      if (lifts[place][choice] > spare) problem.unknowns[each.unknown].costs[each.choices[choice]] = kForbidden;
    }
  }
}

// Both choices of an entry lift the bound, but the pair between them by this entry and not by the cheapest of its row or column.
void forbid_entries(ChoiceProblem& problem, const ShiftedCosts& costs, const std::vector<std::vector<Nanoseconds>>& lifts,
                    Nanoseconds spare) {
  for (const ShiftedPair& pair : costs.pairs()) {
    const ShiftedUnknown &first = costs.unknowns()[pair.first], &second = costs.unknowns()[pair.second];
    CostTable& table = problem.pairs.at({first.unknown, second.unknown});
    const std::vector<Nanoseconds> rows = pair.least(true), columns = pair.least(false);
    const Nanoseconds least = std::ranges::min(rows);
    for (std::size_t row = 0; row < pair.rows; ++row) {
      for (std::size_t column = 0; column < pair.columns; ++column) {
        const Nanoseconds left = pair.left(row, column), of_row = lifts[pair.first][row],
                          of_column = lifts[pair.second][column];
        if (left >= kFar || of_row >= kFar || of_column >= kFar) continue;
        if (of_row - rows[row] + of_column - columns[column] + left + least > spare)
          table.at(first.choices[row], second.choices[column]) = kForbidden;
      }
    }
  }
}

}  // namespace

BoundOfCosts forbid_above_bound(ChoiceProblem& problem, const std::vector<bool>& stands) {
  ShiftedCosts costs(problem, stands);
  if (costs.most() > kMostCosts) return {};
  const BoundOfCosts found = MessagePassing(problem, costs).run();
  if (found.known >= kForbidden) return found;
  const Nanoseconds spare = found.known * kParts - costs.bound();
  const std::vector<std::vector<Nanoseconds>> lifts = lifts_of(costs);
  forbid_choices(problem, costs, lifts, spare);
  forbid_entries(problem, costs, lifts, spare);
  return found;
}

}  // namespace ordercheck::placing
