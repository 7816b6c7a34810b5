// The same cases on several builds of one engine, beside each other: the same PyTorch program under two versions of torch.
#pragma once

#include <string>
#include <vector>

#include "plan/result.h"

namespace ordercheck {

// A line a build with its verdict and the first line of the reason; then whether they agree, and, where all of them
// completed, whether the numbers have the same bits. One name a build, in the order of the outcomes; at least two.
std::string render_builds(const std::vector<std::string>& names, const std::vector<CaseResult>& results);

// The cases whose verdicts are not the same on every build, a line a case and a column a build, "not run" where one had no
// such case; then how many are the same. At least two.
std::string render_builds(const std::vector<std::string>& names, const std::vector<PlanResult>& results);

}  // namespace ordercheck
