// Answers for the ordering page, for each pair of transforms of matrix/pages.toml: may their order be changed, and why.
#pragma once

#include <string>
#include <vector>

#include "report/pages/engine_runs.h"
#include "report/pages/sources.h"

namespace ordercheck {

struct PairView {
  std::string order;      // "`tp` before `fsdp`"
  std::string answer;     // may the order be changed: "no", "in part", "yes"; "not run"
  std::string good;       // "`tp=2,fsdp=2`"; marked if not run; "" if the order may be changed, or no rule explains why not
  std::string turned;     // results of the opposite order: "`fsdp=2,tp=2`: fails in apply (\"Cannot distribute ...\")"
  std::string reason;     // "FSDP2 shards what TP left; ... ([ORD-004](...), incidental)"
  std::string said;       // "[natural]"
  std::string needs;      // what would have to change for the opposite order to work; "" if nothing
  std::string elsewhere;  // "`fsdp=2,ac,compile` works on native 2.11.0. No implementation is known of `ddp=2,pp=2`."
};

// One per [[pair]] of matrix/pages.toml. Runs are those of the reader's version, else of the first other project with runs.
// Every stack is printed with the optimizer of its run.
std::vector<PairView> pair_views(const Sources& sources, const std::vector<EngineRuns>& engines);

}  // namespace ordercheck
