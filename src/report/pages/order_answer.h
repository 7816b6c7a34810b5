// What a reader came for, on the version that he means: the order, what no order cures, and what is silently wrong. The first lines
// of docs/parallelism_ordering.md and the first screen of the HTML page.
#pragma once

#include <string>
#include <vector>

#include "report/pages/engine_runs.h"
#include "report/pages/order_view.h"
#include "report/pages/pair_table.h"
#include "report/pages/shown.h"
#include "report/pages/sources.h"

namespace ordercheck {

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
