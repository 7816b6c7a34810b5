// Plans that a rank of this process has found already: ranks that are threads ask for the same one, and the answer is a function of the
// question alone. A process that is one rank finds each plan itself.
//
// Any thread; who asks for a plan that another one is looking for waits for it.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "placing/plan/placement_plan.h"
#include "placing/plan/placement_planner.h"

namespace ordercheck::ranks {

// The planner's plan. Errors are not kept.
Result<placing::PlacementPlan> plan_once(const placing::PlacementPlanner& planner);

}  // namespace ordercheck::ranks
