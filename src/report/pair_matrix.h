// May A be applied before B? One answer for every pair of transforms that rules know.
#pragma once

#include <string>
#include <vector>

#include "check/pair.h"
#include "report/observed.h"
#include "report/sources.h"

namespace ordercheck {

struct PairCell {
  PairWord word = PairWord::open;
  std::string rule;               // "[ORD-004](rules/...)" that decides; "" where none does
  std::vector<std::string> seen;  // "native: equal": what engines showed for exactly this pair; empty: not run
  std::string text;               // all of it, for a table's cell: "no [ORD-004](...), native: fails in apply"
};

struct PairRow {
  std::string name;  // of A
  std::vector<PairCell> cells;
};

struct PairMatrix {
  std::vector<std::string> names;  // of B, one a column
  std::vector<PairRow> rows;
};

// Judged for the newest pytorch that is known; what each engine showed stands beside the word and never changes it.
PairMatrix pair_matrix(const Sources& sources, const std::vector<ObservedEngine>& engines);

}  // namespace ordercheck
