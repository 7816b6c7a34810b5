#include "report/pages/pair_matrix.h"

#include <algorithm>

#include "report/pages/order_view.h"

namespace ordercheck {

namespace {

bool was_run(const PairRow& row) {
  return std::ranges::any_of(row.cells, [](Shown shown) { return shown != Shown::not_run; });
}

}  // namespace

PairMatrix pair_matrix(const Sources& sources, const std::vector<EngineRuns>& engines) {
  const std::vector<std::string> known = known_transforms(sources.rules);
  const auto row_of = [&](const std::string& first, const std::vector<std::string>& names) {
    PairRow row{.name = first, .cells = {}};
    for (const std::string& second : names)
      row.cells.push_back(first == second ? Shown::not_run : shown_by_pair(first, second, sources, engines));
    return row;
  };
  PairMatrix matrix;
  for (const std::string& name : known) {
    const bool second = std::ranges::any_of(known, [&](const std::string& first) {
      return first != name && shown_by_pair(first, name, sources, engines) != Shown::not_run;
    });
    (second || was_run(row_of(name, known)) ? matrix.names : matrix.never_run).push_back(name);
  }
  for (const std::string& first : matrix.names) matrix.rows.push_back(row_of(first, matrix.names));
  return matrix;
}

}  // namespace ordercheck
