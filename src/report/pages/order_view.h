// Recommends an order of transforms, and explains the position of each adjacent pair.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/pages/engine_runs.h"
#include "report/pages/pair_table.h"
#include "report/pages/shown.h"
#include "report/pages/sources.h"

namespace ordercheck {

// Runs of a recommended order in each version, and the errors that apply there.

// One version of PyTorch. Stacks run with degrees of 2 and under the usual backend of compile.
struct OrderRun {
  std::string target;  // "pytorch 2.15.0"
  Stack stack;
  std::string seen;  // "equal"; "not run under inductor yet; without it differs"
  std::vector<std::string>
      blockers;  // errors in it: "[CLA-017](../rules/...) (since 2.12.1): tp ... and compile of blocks are both applied"
  std::optional<Stack> cure;  // has no errors and keeps every transform
  std::string cure_seen;
  bool holds = false;          // the stack or its cure ran equal
  bool no_known_cure = false;  // it has errors, and no stack keeps every transform, or the cure ran and is not equal
  bool of_few_runs = false;    // neither ran, on a release other than the reader's
  std::vector<Stack> to_run;   // stacks that would decide it
};

// One per version of the reader's engine with evidence and support for the whole order. `sharding`: "fsdp", as in the order.
std::vector<OrderRun> order_runs(const Stack& order, const std::string& sharding, const Sources& sources,
                                 const std::vector<EngineRuns>& engines);

// True if there are runs, but the reader's engine builds `sharding` in none of them, so that nobody could run the order.
bool nobody_builds(const std::string& sharding, const Sources& sources, const std::vector<EngineRuns>& engines);

// Why the recommended order of a page is incomplete, one line per reason; empty if it is complete. A reason is a missing
// transform, or a version where neither the order nor its cure ran equal, with the stacks to run.
std::vector<std::string> order_gaps(const Stack& order, const std::string& sharding, const Sources& sources,
                                    const std::vector<OrderRun>& runs);

// One reason for the order of one pair.
struct PairReason {
  std::string pair;       // "`tp` before `fsdp`"
  std::string rule;       // "[ORD-004](../rules/...)"; "" if no rule orders the pair
  std::string reason;     // the page's first sentence
  std::string cite;       // its first citation
  std::string other_way;  // what the page's bad stack showed on the reader's version; "" without a page
};

struct RecommendedOrder {
  std::string title;                 // "With fsdp"
  std::vector<std::string> names;    // "pp", "tp", "ac", "compile", "fsdp"
  std::vector<std::string> not_run;  // names without any recorded run on any engine; empty if nothing was recorded
  std::vector<PairReason> reasons;   // of each adjacent pair, in order
  std::vector<OrderRun> runs;        // of pp, tp, ac, compile and the sharding in this order
  std::vector<std::string> gaps;     // why it is incomplete
};

// Returns one order for fsdp and one for simple_fsdp. Each contains every transform in an order rule, except other data
// parallelism and transforms that the cure of a clash page drops. Other objections of a page to two transforms do not affect
// their order.
std::vector<RecommendedOrder> recommended_orders(const Sources& sources, const std::vector<EngineRuns>& engines);

// Transforms in any order, clash or commutes page, in the order of the catalogue.
std::vector<std::string> known_transforms(const std::vector<Rule>& rules);

// Returns only the transforms with a run, which a reader may rely on.
std::vector<std::string> run_names(const RecommendedOrder& order);

Item item_named(const std::string& name);  // as in a stack, with a degree of 2 for each axis

// The summary at the top of docs/parallelism_ordering.md and of the HTML page, for the reader's version: the recommended order,
// errors that no order fixes, and silent errors.

struct OrderAnswer {
  std::string target;                  // "pytorch 2.15.0"
  std::vector<std::string> versions;   // versions of PyTorch with runs: "2.11.0", "2.15.0"
  std::vector<std::string> names;      // the first recommended order, without transforms that were never run
  std::vector<std::string> left_out;   // the transforms that were never run
  std::vector<OrderRun> blocked;       // runs of the first order on `target` with errors
  Shown whole_order = Shown::not_run;  // what that order showed there
  std::vector<PairTableRow> silent;    // rows of the pair table, of transforms alone, where nothing is raised
};

// `orders` and `pairs`: results of recommended_orders and pair_table for the same sources.
OrderAnswer order_answer(const std::vector<RecommendedOrder>& orders, const PairTable& pairs, const Sources& sources,
                         const std::vector<EngineRuns>& engines);

}  // namespace ordercheck
