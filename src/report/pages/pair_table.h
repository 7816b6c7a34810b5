// Which stacks not to build, and what to build instead: one row a pair of transforms, the worst first. Every row is of a
// run on the reader's version.
#pragma once

#include <string>
#include <vector>

#include "report/pages/engine_runs.h"
#include "report/pages/shown.h"
#include "report/pages/sources.h"

namespace ordercheck {

struct PairTableRow {
  Shown shown = Shown::not_run;
  std::string good, bad;  // the page's two stacks: "tp=2,ac"; the good one with the trainer that it ran equal with
  std::string happens;    // "fails loudly in apply: `Cannot distribute a DTensor`"
  std::string since;      // the first version that the page claims it for: "2.6"; "2.6, before 2.13"
  std::string basis;
  std::string cure;    // what turns the bad stack into the good one: "`tp` before `ac`"
  std::string page;    // "[ORD-003](rules/...)"
  std::string others;  // ids of further pages about the two that a run bore out; ""
};

// Of order, clash and effect pages that hold for the reader's version and whose bad stack it did not run as well as the good one.
// Of the pages about two transforms the one with the worst harm and the smallest stack.
std::vector<PairTableRow> pair_table(const Sources& sources, const std::vector<EngineRuns>& engines);

// How many order and clash pages hold for the reader's version, by what a run of their bad stack showed.
struct PageCount {
  // Of those that were run: no implementation could allow it. "[CLA-006](rules/...): ..."
  std::vector<std::string> fundamental;
  int run = 0;
  int not_run = 0;
  int fails = 0, wrong = 0, without_effect = 0, slower = 0, equal = 0;
};
PageCount count_pages(const Sources& sources, const std::vector<EngineRuns>& engines);

}  // namespace ordercheck
