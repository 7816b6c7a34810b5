// Every order of one set of transforms, laid side by side: what each showed, what it costs, and which orders built the
// same object.
#pragma once

#include <string>
#include <vector>

#include "report/engine_runs.h"
#include "report/sources.h"

namespace ordercheck {

struct SetRow {
  std::string order;               // "`tp=2,ac,compile,fsdp=2`"
  std::string verdict;             // "fails in apply"
  std::string rules;               // pages that fire, linked; "none"
  std::string same;                // "A": orders with one letter agree in every bit, counter and collective; "" if broken or
                                   // with a counter that was not measured
  std::vector<std::string> cells;  // one a name in `counters`; empty where the run did not complete
};

struct SetView {
  std::string title;                  // "`tp`, `ac`, `compile`, `fsdp` on 4 ranks"
  std::vector<std::string> counters;  // those that are not the same in every order that completed
  std::string alike;                  // counters that are, with their values: "graph captures 2"
  std::vector<SetRow> rows;           // sorted by verdict, then order
};

// One a set of the space and a world size that it can fill, sets without a run left out.
std::vector<SetView> set_views(const Sources& sources, const EngineRuns& engine);

}  // namespace ordercheck
