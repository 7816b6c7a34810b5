// Evidence as grading reads it.
#pragma once

#include <vector>

#include "evidence/table.h"
#include "rule/grade.h"

namespace ordercheck {

// One observation a row of every table in exact arithmetic; the other arithmetics are controls and grade nothing.
std::vector<Observation> observations_of(const std::vector<EvidenceTable>& tables);

}  // namespace ordercheck
