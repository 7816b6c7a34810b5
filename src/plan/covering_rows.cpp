#include "plan/covering_rows.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <queue>
#include <random>

namespace ordercheck {
namespace {

// How long the search tries to do with one row less: so many tuples are put into a row.
constexpr int kMoves = 20'000;

// Every tuple of levels has a number: those of one choice of parameters lie behind each other.
class Tuples {
 public:
  Tuples(const Combinations& combinations, int strength) : levels_(combinations.levels()) {
    choices_ = choices(combinations.parameters(), strength);
    for (const auto& choice : choices_) {
      begin_.push_back(count_);
      std::size_t tuples = 1;
      for (const std::size_t p : choice) tuples *= static_cast<std::size_t>(levels_[p]);
      count_ += tuples;
    }
  }

  std::size_t count() const { return count_; }
  std::size_t per_row() const { return choices_.size(); }

  std::size_t of(const Combination& row, std::size_t choice) const {
    std::size_t tuple = 0;
    for (const std::size_t p : choices_[choice])
      tuple = tuple * static_cast<std::size_t>(levels_[p]) + static_cast<std::size_t>(row[p]);
    return begin_[choice] + tuple;
  }

  void put(std::size_t tuple, Combination& row) const {
    const auto choice = static_cast<std::size_t>(std::ranges::upper_bound(begin_, tuple) - begin_.begin()) - 1;
    std::size_t rest = tuple - begin_[choice];
    for (std::size_t i = choices_[choice].size(); i-- > 0;) {
      const std::size_t p = choices_[choice][i];
      row[p] = static_cast<int>(rest % static_cast<std::size_t>(levels_[p]));
      rest /= static_cast<std::size_t>(levels_[p]);
    }
  }

 private:
  std::vector<int> levels_;
  std::vector<std::vector<std::size_t>> choices_;
  std::vector<std::size_t> begin_;  // the first tuple of each choice
  std::size_t count_ = 0;
};

// How often each tuple stands in the rows, and which of the feasible ones do not.
class Tally {
 public:
  Tally(const Tuples& tuples, const std::vector<Combination>& rows) : tuples_(tuples), times_(tuples.count()) {
    for (const Combination& row : rows) add(row);
  }

  int times(std::size_t tuple) const { return times_[tuple]; }

  std::size_t new_in(const Combination& row) const {
    std::size_t count = 0;
    for (std::size_t c = 0; c < tuples_.per_row(); ++c) count += times_[tuples_.of(row, c)] == 0;
    return count;
  }

  // By how many fewer tuples stand in a row when `before` becomes `after`.
  long lost_by(const Combination& before, const Combination& after) const {
    long lost = 0;
    for (std::size_t c = 0; c < tuples_.per_row(); ++c) {
      const std::size_t old_one = tuples_.of(before, c), new_one = tuples_.of(after, c);
      if (old_one != new_one) lost += (times_[old_one] == 1) - (times_[new_one] == 0);
    }
    return lost;
  }

  void add(const Combination& row) {
    for (std::size_t c = 0; c < tuples_.per_row(); ++c) ++times_[tuples_.of(row, c)];
  }
  void remove(const Combination& row) {
    for (std::size_t c = 0; c < tuples_.per_row(); ++c) --times_[tuples_.of(row, c)];
  }

 private:
  const Tuples& tuples_;
  std::vector<int> times_;
};

// The search for one row less. One object a covering set: its sequence of numbers goes on from try to try.
class Search {
 public:
  Search(const Combinations& combinations, const Tuples& tuples, std::vector<std::size_t> allowed)
      : combinations_(combinations), tuples_(tuples), allowed_(std::move(allowed)) {
    std::vector<Combination> all;
    for (const std::size_t index : allowed_) all.push_back(combinations_.at(index));
    const Tally everything(tuples_, all);
    for (std::size_t tuple = 0; tuple < tuples_.count(); ++tuple)
      if (everything.times(tuple) > 0) feasible_.push_back(tuple);
  }

  // Rows that cover everything with one row less than these, or nothing.
  std::vector<Combination> without_one(std::vector<Combination> rows) {
    const auto least_missed = std::ranges::min_element(rows, {}, [&, tally = Tally(tuples_, rows)](const Combination& row) {
      std::size_t alone = 0;
      for (std::size_t c = 0; c < tuples_.per_row(); ++c) alone += tally.times(tuples_.of(row, c)) == 1;
      return alone;
    });
    rows.erase(least_missed);
    Tally tally(tuples_, rows);
    std::vector<int> tabu_until(rows.size(), 0);
    std::vector<std::size_t> missing = missing_of(tally);
    for (int move = 1; move <= kMoves && !missing.empty(); ++move) {
      const std::size_t tuple = missing[below(missing.size())];
      const Change change = best_change(tuple, rows, tally, tabu_until, move);
      Combination& row = rows[change.row];
      tally.remove(row);
      row = change.becomes;
      tally.add(row);
      tabu_until[change.row] = move + 1 + static_cast<int>(below(rows.size() / 2 + 1));
      missing = missing_of(tally);
    }
    return missing.empty() ? rows : std::vector<Combination>();
  }

 private:
  struct Change {
    std::size_t row;
    Combination becomes;
  };

  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(numbers_() % bound); }

  std::vector<std::size_t> missing_of(const Tally& tally) const {
    std::vector<std::size_t> missing;
    for (const std::size_t tuple : feasible_)
      if (tally.times(tuple) == 0) missing.push_back(tuple);
    return missing;
  }

  // The row that loses least when the tuple is put into it; where no row may take it, some row becomes another that has it.
  Change best_change(std::size_t tuple, const std::vector<Combination>& rows, const Tally& tally,
                     const std::vector<int>& tabu_until, int move) {
    std::vector<Change> best;
    long least = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (tabu_until[r] > move) continue;
      Combination becomes = rows[r];
      tuples_.put(tuple, becomes);
      if (!combinations_.allows(becomes)) continue;
      const long lost = tally.lost_by(rows[r], becomes);
      if (!best.empty() && lost > least) continue;
      if (lost < least) best.clear();
      least = lost;
      best.push_back({r, std::move(becomes)});
    }
    if (!best.empty()) return best[below(best.size())];
    return {below(rows.size()), some_with(tuple)};
  }

  Combination some_with(std::size_t tuple) {
    const std::size_t first = below(allowed_.size());
    for (std::size_t i = 0; i < allowed_.size(); ++i) {
      const Combination row = combinations_.at(allowed_[(first + i) % allowed_.size()]);
      Combination with = row;
      tuples_.put(tuple, with);
      if (with == row) return row;
    }
    assert(false && "a feasible tuple stands in an allowed combination");
    return {};
  }

  const Combinations& combinations_;
  const Tuples& tuples_;
  std::vector<std::size_t> allowed_;   // indices of combinations
  std::vector<std::size_t> feasible_;  // tuples
  std::mt19937_64 numbers_{1};
};

std::vector<Combination> greedy_rows(const Combinations& combinations, const Tuples& tuples,
                                     const std::vector<std::size_t>& allowed) {
  struct Promise {
    std::size_t at_most;  // new tuples when it was last looked at: never more since
    std::size_t index;
    bool operator<(const Promise& other) const {
      return at_most != other.at_most ? at_most < other.at_most : index > other.index;
    }
  };
  std::vector<Promise> all;
  for (const std::size_t index : allowed) all.push_back({tuples.per_row(), index});
  std::priority_queue<Promise> queue({}, std::move(all));
  std::vector<Combination> rows;
  Tally tally(tuples, {});
  while (!queue.empty()) {
    const Promise top = queue.top();
    queue.pop();
    Combination row = combinations.at(top.index);
    const std::size_t now = tally.new_in(row);
    if (now == 0) continue;
    if (now < top.at_most) {
      queue.push({now, top.index});
      continue;
    }
    tally.add(row);
    rows.push_back(std::move(row));
  }
  return rows;
}

// No covering set has fewer rows: the tuples of one choice of parameters stand in a row each.
std::size_t least_rows(const Tuples& tuples, const std::vector<Combination>& rows) {
  std::size_t least = 0;
  for (std::size_t c = 0; c < tuples.per_row(); ++c) {
    std::vector<std::size_t> seen;
    for (const Combination& row : rows) seen.push_back(tuples.of(row, c));
    std::ranges::sort(seen);
    seen.erase(std::ranges::unique(seen).begin(), seen.end());
    least = std::max(least, seen.size());
  }
  return least;
}

}  // namespace

std::vector<Combination> covering_rows(const Combinations& combinations, int strength) {
  assert(strength >= 1 && static_cast<std::size_t>(strength) <= combinations.parameters());
  const Tuples tuples(combinations, strength);
  std::vector<std::size_t> allowed;
  for (std::size_t index = 0; index < combinations.size(); ++index)
    if (combinations.allows(index)) allowed.push_back(index);
  std::vector<Combination> rows = greedy_rows(combinations, tuples, allowed);
  const std::size_t least = least_rows(tuples, rows);
  Search search(combinations, tuples, std::move(allowed));
  while (rows.size() > least) {
    std::vector<Combination> fewer = search.without_one(rows);
    if (fewer.empty()) break;
    rows = std::move(fewer);
  }
  std::ranges::sort(rows);
  return rows;
}

}  // namespace ordercheck
