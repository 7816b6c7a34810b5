// What of the evidence judging a stack takes.
#pragma once

#include <optional>
#include <vector>

#include "evidence/table.h"
#include "rule/grade.h"
#include "stack/case.h"

namespace ordercheck {

// The rows of every table that decides (table.h), with the usual backend of compile deciding what ran under it.
std::vector<Observation> observations_of(const std::vector<EvidenceTable>& tables);

// What of evidence it takes to judge any stack for `target`, which has a version, is read in two goes. First all that this
// version ran; then of every other table the runs that grade those pages that the first go leaves open, which are few.
ReadingOf reading_own(const Target& target, const std::vector<Rule>& rules);
ReadingOf reading_others(const Target& target, const std::vector<Rule>& rules, const std::vector<Observation>& own);

// Runs under the usual backend of compile beside those of what an engine compiles with by itself: `compile` means what a user's
// torch.compile does.

// The case with the usual backend named wherever it is left open; nothing where it is left open nowhere.
//   "compile,sac" -> "compile=inductor,sac"
std::optional<Case> under_usual_backend(Case c);

// Of one table. Says of every run that left the backend open what ran. Where the same case ran under the usual backend too and
// came out otherwise, that run is taken for it, but where only counters show what is lost. Nothing to say of an engine that never ran under it: it has one compiler.
void prefer_usual_backend(std::vector<Observation>& observations);

}  // namespace ordercheck
