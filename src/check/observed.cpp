#include "check/observed.h"

namespace ordercheck {

std::vector<Observation> observations_of(const std::vector<EvidenceTable>& tables) {
  std::vector<Observation> seen;
  for (const EvidenceTable& table : tables) {
    if (table.arithmetic != name_of(Arithmetic::exact)) continue;
    for (const EvidenceRow& row : table.rows)
      seen.push_back({.engine = table.engine,
                      .version = version_of(table.versions),
                      .case_text = row.case_text,
                      .verdict = row.verdict,
                      .phase = find_phase(row.phase),
                      .message = row.message,
                      .counters = counter_values(row.counters, row.collectives)});
  }
  return seen;
}

}  // namespace ordercheck
