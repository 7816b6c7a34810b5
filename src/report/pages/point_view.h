// What people said in public about one order, and whether the other order works: a row of the ordering page.
#pragma once

#include <string>
#include <vector>

#include "report/pages/engine_runs.h"
#include "report/pages/sources.h"

namespace ordercheck {

struct PointView {
  std::string order;      // "`tp` before `fsdp`"
  std::string said;       // "[natural]"
  std::string change;     // what the other order showed on the reader's version: "no: fails in apply: `fsdp=2,tp=2`"
  std::string needs;      // what would have to change for the other order to work
  std::string elsewhere;  // "native 2.11.0: `fsdp=2,ac,compile`; no implementation known for `ddp=2,pp=2`"
};

// One a point of Topics::points. Every stack is printed with the trainer that its run had.
std::vector<PointView> point_views(const Sources& sources, const std::vector<EngineRuns>& engines);

}  // namespace ordercheck
