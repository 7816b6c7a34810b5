#include "report/pair_matrix.h"

#include "report/order_view.h"

namespace ordercheck {

PairMatrix pair_matrix(const Sources& sources, const std::vector<ObservedEngine>& engines) {
  PairMatrix matrix{.names = known_transforms(sources.rules), .rows = {}};
  for (const std::string& first : matrix.names) {
    PairRow row{.name = first, .cells = {}};
    for (const std::string& second : matrix.names)
      row.cells.push_back(first == second ? Shown::not_run
                                          : shown_by_pair(first, second, sources, engines));
    matrix.rows.push_back(std::move(row));
  }
  return matrix;
}

}  // namespace ordercheck
