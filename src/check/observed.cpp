#include "check/observed.h"

#include "check/inductor.h"

namespace ordercheck {
namespace {

std::vector<std::string> lost_in(const EvidenceRow& row) {
  std::vector<std::string> items;
  for (const Effect& effect : lost_effects(row.effects)) items.push_back(effect.transform);
  return items;
}

}  // namespace

std::vector<Observation> observations_of(const std::vector<EvidenceTable>& tables) {
  std::vector<Observation> seen;
  for (const EvidenceTable& table : tables) {
    if (table.arithmetic != name_of(Arithmetic::exact)) continue;
    std::vector<Observation> of_table;
    for (const EvidenceRow& row : table.rows)
      of_table.push_back({.engine = table.engine,
                          .version = version_of(table.versions),
                          .case_text = row.case_text,
                          .verdict = row.verdict,
                          .phase = find_phase(row.phase),
                          .message = row.message,
                          .operation = row.operation,
                          .group = row.group,
                          .lost = lost_in(row),
                          .counters = counter_values(row.counters, row.collectives)});
    let_inductor_decide(of_table);
    seen.insert(seen.end(), of_table.begin(), of_table.end());
  }
  return seen;
}

}  // namespace ordercheck
