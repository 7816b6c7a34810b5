// What stacks send beside what the ranks of another engine sent for the same: the tables of traffic that name one. Of both engines
// the newest version that decides is meant. Stacks are the same where they differ at most in the backend of a compile. Collectives
// are counted in one microbatch; bytes are not compared, as the models may have other sizes.
#pragma once

#include <vector>

#include "base/result.h"
#include "report/pages/engine_runs.h"
#include "report/pages/sources.h"
#include "report/pages/traffic_view.h"

namespace ordercheck {

// Fills `beside` of an engine's tables. None where either side has no run, or the engine is not the one that is meant.
void lay_beside(std::vector<SentTable>& tables, const Sources& sources, const EngineRuns& engine,
                const std::vector<EngineRuns>& engines);

// Refuses a table that no engine has, a row that differs and nothing says why, a reason for one that agrees or that is not there, and
// an unknown page. A table of an engine without runs is not looked for.
Status check_beside(const Sources& sources, const std::vector<EngineRuns>& engines);

}  // namespace ordercheck
