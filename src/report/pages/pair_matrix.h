// What a run of every pair of transforms showed, in both orders: one sign a cell.
#pragma once

#include <string>
#include <vector>

#include "report/pages/engine_runs.h"
#include "report/pages/shown.h"
#include "report/pages/sources.h"

namespace ordercheck {

struct PairRow {
  std::string name;          // applied first
  std::vector<Shown> cells;  // one a column; not_run of a transform beside itself
};

struct PairMatrix {
  std::vector<std::string> names;      // applied second, one a column
  std::vector<std::string> never_run;  // transforms that rules name and no pair holds: without a row and a column
  std::vector<PairRow> rows;
};

// Of exactly these two transforms with their usual degrees and options, on the reader's version. What pages say of a pair
// is no part of it.
PairMatrix pair_matrix(const Sources& sources, const std::vector<EngineRuns>& engines);

}  // namespace ordercheck
