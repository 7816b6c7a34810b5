#include "report/pages/order_answer.h"

#include <algorithm>
#include <iterator>

namespace ordercheck {

OrderAnswer order_answer(const std::vector<RecommendedOrder>& orders, const PairTable& pairs, const Sources& sources,
                         const std::vector<EngineRuns>& engines) {
  OrderAnswer answer{.target = print(reader_target(sources))};
  for (const EngineRuns& engine : engines)
    if (engine.target.project == sources.reader && engine.target.version)
      answer.versions.push_back(print(*engine.target.version));
  std::ranges::copy_if(pairs.rows, std::back_inserter(answer.silent), is_silent, &PairTableRow::shown);
  if (orders.empty()) return answer;
  const RecommendedOrder& order = orders.front();
  answer.names = run_names(order);
  answer.left_out = order.not_run;
  for (const OrderRun& run : order.runs) {
    if (run.target != answer.target) continue;
    answer.whole_order = shown_by(run.stack, sources, engines);
    if (!run.blockers.empty()) answer.blocked.push_back(run);
  }
  return answer;
}

}  // namespace ordercheck
