// Places a model on a mesh by plan: traces it as for one device, plans, cuts its parameters into pieces, and replaces its body
// by the placed graph.
//
// Source: AutoParallel's auto_parallel() (meta-pytorch/autoparallel).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "graph/planner/placement_plan.h"
#include "graph/planner/placement_planner.h"
#include "graph/planner/training_rules.h"
#include "native/graph/graph.h"
#include "native/module/module.h"
#include "native/module/sample_input.h"
#include "stack/mesh.h"

namespace ordercheck::ranks {

struct PlacedModelOptions {
  Mesh mesh;
  int rank = 0;
  std::vector<std::string> axes;  // mesh axes that the plan may use, in mesh order
  placing::TrainingRules rules;   // how parameters, inputs and output may be placed; has_samples is filled in from the inputs
  std::function<placing::Machine(const placing::DeviceMesh&)> machine = placing::h100;  // machine of the cost model
  CheckpointPolicy gathered = CheckpointPolicy::must_recompute;                         // policy for gathered parameters
  std::vector<std::vector<SampleInput>> other_batches;  // batches of other sizes that the placed model must accept
};

// `inputs` is the batch of all ranks together. Every rank traces and plans by itself and gets the same plan.
// - A parameter that an axis only replicates gets a replicate placement on that axis.
// - module.output_placements is set to the planned placements of the output, except on axes that split samples.
// - on_use steps of parameters are part of the trace, and children of the model are no longer called.
// - The model is traced for each of `other_batches` too. These traces run with the placements planned for `inputs`, which are
//   chosen so that they can.
// - Throws if the model cannot be traced without a graph break, if its trace has collectives, if the rules allow no plan, or if
//   the plan does not fit one of `other_batches`. A later call with a batch of another size throws too.
void place_by_plan(const ModulePtr& model, const std::vector<SampleInput>& inputs, const PlacedModelOptions& options);

// Caches plans within a process: rank threads ask for the same plan, and it depends only on the planner's input. Processes with
// one rank plan by themselves.
//
// Any thread; a caller waits if another one is computing the plan.

// Returns planner's plan, from the cache if an equal planner already made it. Errors are not cached.
Result<placing::PlacementPlan> plan_once(const placing::PlacementPlanner& planner);

}  // namespace ordercheck::ranks
