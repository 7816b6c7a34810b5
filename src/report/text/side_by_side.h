// Two stacks beside each other: what runs of both showed, and which counters tell them apart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "parity/observation.h"
#include "plan/result.h"
#include "rule/counters.h"
#include "stack/stack.h"

namespace ordercheck {

struct CounterApart {
  std::string counter;    // "operators_recomputed", "all_gather@dp_shard", "all_gather@dp_shard:bytes"
  std::int64_t left = 0;  // 0 too where it did not happen; kNotMeasured (parity/counters.h)
  std::int64_t right = 0;
  friend bool operator==(const CounterApart&, const CounterApart&) = default;
};

// Sorted by name. Collectives are told by mesh axis, not summed over all axes as well. What either side has not measured is
// among them: nobody knows whether it tells the two apart.
std::vector<CounterApart> counters_apart(const CounterValues& left, const CounterValues& right);

// What committed runs of one engine and version, on one release of PyTorch, showed. Refers to the observations it was made of.
struct SeenOfTwo {
  std::string engine;
  std::string version;
  std::string on;                     // "torch 2.15.0", of a project that runs on it; "" of PyTorch itself
  const Observation* left = nullptr;  // null: not run
  const Observation* right = nullptr;
  std::vector<CounterApart> apart;  // where both completed
};

// One for each engine, version and release of PyTorch that ran either stack with default settings; a missing degree is what it runs as.
std::vector<SeenOfTwo> seen_of(const Stack& left, const Stack& right, const std::vector<Observation>& observations);

// "native 2.11.0 showed equal either way", "native 2.11.0 showed equal, the other way fails in apply".
std::string describe(const SeenOfTwo& seen);

// A line of a table: what is told, of the left and of the right.
struct TableLine {
  std::string what;
  std::string left;
  std::string right;
};
std::string render_table(const std::vector<TableLine>& lines);  // columns of equal width, indented by two

// The lines of what was seen: the engine over both names, each verdict, and the counters apart (or that none is).
std::vector<TableLine> table_of(const SeenOfTwo& seen, const std::string& left_name, const std::string& right_name);
void add_counters(const std::vector<CounterApart>& apart, std::vector<TableLine>& lines);

// Two outcomes of one engine beside each other.

// A table of verdict, prediction, first tensor that parts from what it is held against, and every counter and collective
// that differs; a line a side where it is not equal; then whether the two have the same bits, or where they part first.
std::string render_two_runs(const CaseResult& left, const CaseResult& right, const Hello& hello);

}  // namespace ordercheck
