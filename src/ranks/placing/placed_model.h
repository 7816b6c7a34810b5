// A model placed on a mesh by plan: traced once as one device would run it, planned for, its parameters cut into the pieces of the plan,
// and its body replaced with the placed graph.
//
// Source: AutoParallel's auto_parallel() (meta-pytorch/autoparallel).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "placing/plan/placement_plan.h"
#include "placing/plan/placement_planner.h"
#include "placing/plan/training_rules.h"
#include "ranks/graph/graph.h"
#include "ranks/module/module.h"
#include "ranks/module/sample_input.h"
#include "stack/mesh.h"

namespace ordercheck::ranks {

struct PlacedModelOptions {
  Mesh mesh;
  int rank = 0;
  std::vector<std::string> axes;  // to place over, in the order of the mesh
  placing::TrainingRules rules;   // but for has_samples
  std::function<placing::Machine(const placing::DeviceMesh&)> machine = placing::h100;  // that costs are stated for
  CheckpointPolicy gathered = CheckpointPolicy::must_recompute;                         // of parameters that were gathered
  std::vector<std::vector<SampleInput>> other_batches;  // of other sizes, which the model is to take too
};

// `inputs`: a batch of all ranks together. Every rank traces and plans for itself, and comes to the same plan. A parameter on an axis that only holds copies of it is placed there
// as replicated; module.output_placements says where outputs lie on axes that do not split samples. What stood between a parameter and
// its use is part of the trace. Children are called no more. Each of the other batches is traced as well, and runs by the placements
// that are planned for the first. Throws for a model that cannot be traced whole, one whose trace holds
// collectives, where the rules leave no plan, and where the plan does not go with the sizes of another batch. A call with pieces of a
// batch that was not traced throws.
void place_by_plan(const ModulePtr& model, const std::vector<SampleInput>& inputs, const PlacedModelOptions& options);

// Plans that a rank of this process has found already: ranks that are threads ask for the same one, and the answer is a function of the
// question alone. A process that is one rank finds each plan itself.
//
// Any thread; who asks for a plan that another one is looking for waits for it.

// The planner's plan. Errors are not kept.
Result<placing::PlacementPlan> plan_once(const placing::PlacementPlanner& planner);

}  // namespace ordercheck::ranks
