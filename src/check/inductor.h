// Runs of inductor beside those of its stand-in: `compile` means what a user's torch.compile does, and that is inductor.
#pragma once

#include <optional>
#include <vector>

#include "rule/grade.h"
#include "stack/case.h"

namespace ordercheck {

// The case with every compile that names no backend under inductor; nothing where there is none, or on another engine.
//   "compile,sac engine=pytorch" -> "compile=inductor,sac engine=pytorch"
std::optional<Case> under_inductor(Case c);

// Whether a compile of the case names inductor.
bool runs_inductor(const Case& c);

// Of one table. Says of every run of the stand-in that it was one. Where the same case ran under inductor too and came out
// otherwise, inductor's run is taken for it.
void let_inductor_decide(std::vector<Observation>& observations);

}  // namespace ordercheck
