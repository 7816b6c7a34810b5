// The order that the rules recommend, and why each neighbour stands where it does.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/pages/engine_runs.h"
#include "report/pages/pair_table.h"
#include "report/pages/shown.h"
#include "report/pages/sources.h"

namespace ordercheck {

// What runs showed of a recommended order in each version, and what stands against it there.

// In one version of PyTorch. A stack is run with degrees of 2, and under the usual backend of compile.
struct OrderRun {
  std::string target;  // "pytorch 2.15.0"
  Stack stack;
  std::string seen;  // "equal"; "not run under inductor yet; without it differs"
  std::vector<std::string>
      blockers;  // "[CLA-017](../rules/...) (since 2.12.1): tp ... and compile of blocks are both applied": errors in it
  std::optional<Stack> cure;  // free of errors, every transform kept
  std::string cure_seen;
  bool holds = false;          // one of the two ran equal
  bool no_known_cure = false;  // it is blocked, and nothing keeps every transform, or what did was run and is not equal
  bool of_few_runs = false;    // neither of the two was run, on a release that is not the reader's
  std::vector<Stack> to_run;   // what would tell
};

// One a version of the reader's engine that there is evidence of, and that builds what the order holds. `sharding`: "fsdp", as in the order.
std::vector<OrderRun> order_runs(const Stack& order, const std::string& sharding, const Sources& sources,
                                 const std::vector<EngineRuns>& engines);

// There are runs, and none of the reader's engine that builds it: then nobody could run the order there.
bool nobody_builds(const std::string& sharding, const Sources& sources, const std::vector<EngineRuns>& engines);

// Why the recommended order of a page is no answer yet; empty when it is one. A line each: a transform that it lacks,
// or a version in which neither the order nor its cure ran equal, with the stacks to run.
std::vector<std::string> order_gaps(const Stack& order, const std::string& sharding, const Sources& sources,
                                    const std::vector<OrderRun>& runs);

// One reason for one pair.
struct PairReason {
  std::string pair;       // "`tp` before `fsdp`"
  std::string rule;       // "[ORD-004](../rules/...)"; "" where no rule orders the two
  std::string reason;     // the page's first sentence
  std::string cite;       // its first citation
  std::string other_way;  // what the page's bad stack showed on the reader's version; "" without a page
};

struct RecommendedOrder {
  std::string title;                 // "With fsdp"
  std::vector<std::string> names;    // "pp", "tp", "ac", "compile", "fsdp"
  std::vector<std::string> not_run;  // of these, what no recorded run of any engine holds; none where nothing was recorded
  std::vector<PairReason> reasons;   // of each neighbouring pair, in order
  std::vector<OrderRun> runs;        // of pp, tp, ac, compile and the sharding in this order
  std::vector<std::string> gaps;     // why it is no answer yet
};

// One order for fsdp and one for simple_fsdp, each of every transform that order rules name, but for other data parallelism and
// for what a clash page gives up: its good stack does without one. What a page has against two that it keeps is no matter of
// their order.
std::vector<RecommendedOrder> recommended_orders(const Sources& sources, const std::vector<EngineRuns>& engines);

// Transforms that some order, clash or commutes page names, in the order of the catalogue.
std::vector<std::string> known_transforms(const std::vector<Rule>& rules);

// Without those that no run holds: what a reader may rely on.
std::vector<std::string> run_names(const RecommendedOrder& order);

Item item_named(const std::string& name);  // as it stands in a stack, with a degree of 2 where it has degrees

// What a reader came for, on the version that he means: the order, what no order cures, and what is silently wrong. The first lines
// of docs/parallelism_ordering.md and the first screen of the HTML page.

struct OrderAnswer {
  std::string target;                  // "pytorch 2.15.0"
  std::vector<std::string> versions;   // of PyTorch that there are runs of: "2.11.0", "2.15.0"
  std::vector<std::string> names;      // of the first recommended order, without those that no run holds
  std::vector<std::string> left_out;   // those
  std::vector<OrderRun> blocked;       // of the first order on `target`, where pages stand against it
  Shown whole_order = Shown::not_run;  // what that order showed there
  std::vector<PairTableRow> silent;    // rows of the pair table where nothing is raised, and training is not as asked
};

// `orders` and `pairs`: what recommended_orders and pair_table made of the same sources.
OrderAnswer order_answer(const std::vector<RecommendedOrder>& orders, const PairTable& pairs, const Sources& sources,
                         const std::vector<EngineRuns>& engines);

}  // namespace ordercheck
