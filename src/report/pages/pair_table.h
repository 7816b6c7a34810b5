// Lists the stacks to avoid and their replacements: one row per page and stack, the worst first. Every row is based on a run on
// the reader's version.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "report/pages/engine_runs.h"
#include "report/pages/shown.h"
#include "report/pages/sources.h"

namespace ordercheck {

// A row of the table, as pages and the HTML report take it:
//   shown      name of a Shown            bad      the stack to avoid: "fsdp=2,tp=2"
//   good       what to build instead; "" if nothing is known          good_ran   false if no run has it
//   clips      true if `bad` clips gradients, and clipping causes the harm
//   happens    "fails loudly in apply"    since    the first version that the page claims: "2.6"; "2.6, before 2.13"
//   basis, page   of the rule: "incidental", "[ORD-003](../rules/...)"
using PairTableRow = nlohmann::json;

// All lists and counts of the ordering page come from this table.
struct PairTable {
  std::vector<PairTableRow> rows;        // stacks that ran worse than the good ones
  std::vector<std::string> fundamental;  // links to pages with runs and a fundamental cause: "[CLA-006](../rules/...)"
  int run = 0, not_run = 0;              // pages
  int equal = 0;                         // pages without a row, because their stack ran as well as the good one
};

// Covers order and clash pages that hold for the reader's version.
PairTable pair_table(const Sources& sources, const std::vector<EngineRuns>& engines);

std::size_t count_of(const PairTable& table, Shown shown);  // rows

// Results of every pair of transforms in both orders.

struct PairRow {
  std::string name;          // applied first
  std::vector<Shown> cells;  // one per column; not_run for a transform with itself
};

struct PairMatrix {
  std::vector<std::string> names;      // applied second, one per column
  std::vector<std::string> never_run;  // transforms in rules without any pair run; they have no row or column
  std::vector<PairRow> rows;
};

// Uses runs of exactly these two transforms with usual degrees and options on the reader's version. Ignores what pages claim
// about a pair.
PairMatrix pair_matrix(const Sources& sources, const std::vector<EngineRuns>& engines);

}  // namespace ordercheck
