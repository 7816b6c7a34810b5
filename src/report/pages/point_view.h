// Compares public statements about an order ("apply tp before fsdp") with runs of the opposite order. Each is one row of a
// table on the ordering page.
#pragma once

#include <string>
#include <vector>

#include "report/pages/engine_runs.h"
#include "report/pages/sources.h"

namespace ordercheck {

struct PointView {
  std::string order;      // "`tp` before `fsdp`"
  std::string said;       // "[natural]"
  std::string change;     // result of the opposite order on the newest PyTorch: "no: fails in apply: `fsdp=2,tp=2`"
  std::string needs;      // what would have to change for the opposite order to work
  std::string elsewhere;  // "native 2.11.0: `fsdp=2,ac,compile`; no implementation known for `ddp=2,pp=2`"
};

// One row per [[point]] of matrix/pages.toml. Every stack is printed with the optimizer of its run.
std::vector<PointView> point_views(const Sources& sources, const std::vector<EngineRuns>& engines);

}  // namespace ordercheck
