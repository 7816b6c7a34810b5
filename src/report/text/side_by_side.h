// Compares two stacks: the results of their runs, and the counters that differ.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "matrix/plan_result.h"
#include "record/observation.h"
#include "rules/counters.h"
#include "stack/stack.h"

namespace ordercheck {

struct CounterApart {
  std::string counter;    // "operators_recomputed", "all_gather@dp_shard", "all_gather@dp_shard:bytes"
  std::int64_t left = 0;  // 0 if the collective did not happen; kNotMeasured (record/counters.h) if unknown
  std::int64_t right = 0;
  friend bool operator==(const CounterApart&, const CounterApart&) = default;
};

// The counters in which two runs differ, sorted by name. Collectives are listed per mesh axis, without their sum over all
// axes. Includes counters that either run did not measure, since they may differ.
std::vector<CounterApart> counters_apart(const CounterValues& left, const CounterValues& right);

// The committed runs of both stacks on one engine, version and release of PyTorch. Points into the observations that seen_of()
// was given.
struct SeenOfTwo {
  std::string engine;
  std::string version;
  std::string on;                     // "torch 2.15.0" for a project that runs on it; "" for PyTorch itself
  const Observation* left = nullptr;  // nullptr if not run
  const Observation* right = nullptr;
  std::vector<CounterApart> apart;  // set if both runs completed
};

// One entry per engine, version and release of PyTorch that ran either stack with default settings. An item without a degree
// stands for the default degree.
std::vector<SeenOfTwo> seen_of(const Stack& left, const Stack& right, const std::vector<Observation>& observations);

// "native 2.11.0, pytorch 2.15.0 showed equal, the other way fails in apply; torchtitan 0.3.0 showed equal either way".
std::string describe(const std::vector<SeenOfTwo>& seen);

// A table line: a label and the values of both sides.
struct TableLine {
  std::string what;
  std::string left;
  std::string right;
};
std::string render_table(const std::vector<TableLine>& lines);  // columns of equal width, indented by two

// Lines for the runs: the engine as the heading of both names, each verdict, and the differing counters (or that there are
// none).
std::vector<TableLine> table_of(const SeenOfTwo& seen, const std::string& left_name, const std::string& right_name);
void add_counters(const std::vector<CounterApart>& apart, std::vector<TableLine>& lines);

// Renders the comparison of two runs on one engine, for `ordercheck compare --engine`.

// A table with verdict, prediction, first divergent tensor, and every differing counter and collective. Then the reason for
// each side that is not equal, and whether the two are bitwise equal or where they first differ.
std::string render_two_runs(const CaseResult& left, const CaseResult& right, const Hello& hello);

}  // namespace ordercheck
