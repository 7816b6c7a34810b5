// What of the evidence judging a stack takes.
#pragma once

#include <vector>

#include "evidence/table.h"
#include "rule/grade.h"

namespace ordercheck {

// The rows of every table that decides (table.h), with the usual backend of compile deciding what ran under it.
std::vector<Observation> observations_of(const std::vector<EvidenceTable>& tables);

// What of evidence it takes to judge any stack for `target`, which has a version, is read in two goes. First all that this
// version ran; then of every other table the runs that grade those pages that the first go leaves open, which are few.
ReadingOf reading_own(const Target& target, const std::vector<Rule>& rules);
ReadingOf reading_others(const Target& target, const std::vector<Rule>& rules, const std::vector<Observation>& own);

}  // namespace ordercheck
