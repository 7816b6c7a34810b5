// The order that the rules recommend, and why each neighbour stands where it does.
#pragma once

#include <string>
#include <vector>

#include "report/pages/engine_runs.h"
#include "report/pages/order_runs.h"
#include "report/pages/sources.h"

namespace ordercheck {

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

}  // namespace ordercheck
