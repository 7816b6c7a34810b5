// Runs under the usual backend of compile beside those of what an engine compiles with by itself: `compile` means what a user's
// torch.compile does.
#pragma once

#include <optional>
#include <vector>

#include "rule/grade.h"
#include "stack/case.h"

namespace ordercheck {

// The case with the usual backend named wherever it is left open; nothing where it is left open nowhere.
//   "compile,sac" -> "compile=inductor,sac"
std::optional<Case> under_usual_backend(Case c);

// Of one table. Says of every run that left the backend open what ran. Where the same case ran under the usual backend too and
// came out otherwise, that run is taken for it, but where only counters show what is lost. Nothing to say of an engine that never ran under it: it has one compiler.
void prefer_usual_backend(std::vector<Observation>& observations);

}  // namespace ordercheck
