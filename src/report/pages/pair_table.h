// Which stacks not to build, and what to build instead: one row a page and its stack, the worst first. Every row is of a run on the
// reader's version.
#pragma once

#include <string>
#include <vector>

#include "report/pages/engine_runs.h"
#include "report/pages/shown.h"
#include "report/pages/sources.h"

namespace ordercheck {

struct PairTableRow {
  Shown shown = Shown::not_run;
  std::string good;       // what to build instead: "tp=2,ac"; "" if nothing is known
  bool good_ran = false;  // false: no run has it
  std::string bad;
  bool clips = false;   // `bad` does: the harm is clipping's
  std::string happens;  // "fails loudly in apply"
  std::string since;    // the first version that the page claims it for: "2.6"; "2.6, before 2.13"
  std::string basis;
  std::string page;  // "[ORD-003](../rules/...)"
};

// Lists and counts of the ordering page all come from this table.
struct PairTable {
  std::vector<PairTableRow> rows;        // of stacks that did not run as well as the good ones
  std::vector<std::string> fundamental;  // of pages that were run: no implementation could allow it. "[CLA-006](../rules/...)"
  int run = 0, not_run = 0;              // pages
  int equal = 0;                         // pages whose stack ran as well as the good one, and that have no row
};

// Of order and clash pages that hold for the reader's version.
PairTable pair_table(const Sources& sources, const std::vector<EngineRuns>& engines);

std::size_t count_of(const PairTable& table, Shown shown);  // rows

// What a run of every pair of transforms showed, in both orders: one sign a cell.

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
