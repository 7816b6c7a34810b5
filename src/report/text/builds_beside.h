// Renders the results of the same cases on several builds of an engine, such as two versions of torch.
#pragma once

#include <string>
#include <vector>

#include "matrix/plan_result.h"

namespace ordercheck {

// One line per build with its verdict and the first line of the reason. Then whether the builds agree and, if all completed,
// whether the numbers are bitwise equal. `names` has one name per result; at least two.
std::string render_builds(const std::vector<std::string>& names, const std::vector<CaseResult>& results);

// One line per case with different verdicts and one column per build, "not run" if a build has no such case. Then the number of
// cases with equal verdicts. Needs at least two builds.
std::string render_builds(const std::vector<std::string>& names, const std::vector<PlanResult>& results);

}  // namespace ordercheck
