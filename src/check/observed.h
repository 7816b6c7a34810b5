// Evidence as grading reads it.
#pragma once

#include <vector>

#include "evidence/table.h"
#include "rule/grade.h"

namespace ordercheck {

// One observation a row of every table in exact arithmetic; the other arithmetics are controls and grade nothing.
std::vector<Observation> observations_of(const std::vector<EvidenceTable>& tables);

// What of evidence it takes to judge any stack for `target`: all that its own version ran, and of every other table the runs
// that grade pages. `target` has a version.
ReadingOf reading_for(const Target& target, const std::vector<Rule>& rules);

}  // namespace ordercheck
