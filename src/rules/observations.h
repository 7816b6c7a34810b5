// Selects the evidence rows that checking a stack needs.
#pragma once

#include <optional>
#include <vector>

#include "record/evidence_table.h"
#include "rules/grade.h"
#include "stack/case.h"

namespace ordercheck {

// The rows of all tables for which decides() is true (record/evidence_table.h), after prefer_usual_backend.
std::vector<Observation> observations_of(const std::vector<EvidenceTable>& tables);

// To check any stack for `target` (with a version), evidence is read in two passes. reading_own selects all runs of this
// version. reading_others then selects, from other versions' tables, the runs that grade rule pages which the first pass left
// undecided.
ReadingOf reading_own(const Target& target, const std::vector<Rule>& rules);
ReadingOf reading_others(const Target& target, const std::vector<Rule>& rules, const std::vector<Observation>& own);

// Names the default backend in every compile without one: "compile,sac" -> "compile=inductor,sac". nullopt if there is no such
// compile.
std::optional<Case> under_usual_backend(Case c);

// Engines may run `compile` with another backend than torch.compile's default, which is what a user means. So this replaces
// the row of a case with `compile` by the row of the same case with `compile=inductor`, if the table has one. Keeps a row with
// a lost effect that only its own counters show. Sets `backend` to the backend that ran.
void prefer_usual_backend(std::vector<Observation>& observations);

}  // namespace ordercheck
