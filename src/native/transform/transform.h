// Defines a transform: a change to a model.
//
// It gets the model as earlier transforms left it, its own item of the stack (name, degree, options) and the mesh. It may not
// look at the stack, rules or names of other transforms. It may read what modules generally offer: children, parameters,
// placements. So an invalid order must fail by itself, or turn out to work. Shared code is in this folder: no transform calls
// another.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "native/graph/autocast.h"
#include "native/module/module.h"
#include "native/module/sample_input.h"
#include "native/transform/late_sums.h"
#include "native/transform/optimizer_step.h"
#include "native/transform/schedule.h"
#include "record/case_codec.h"
#include "stack/mesh.h"
#include "stack/stack.h"

namespace ordercheck::ranks {

// How the training loop runs the pipeline stages once all transforms are applied.
struct PipelinePlan {
  ScheduleKind kind = ScheduleKind::one_forward_one_backward;
  int stages_per_rank = 1;
  std::optional<int> microbatches = {};  // nullopt: as many as the step accumulates
  std::vector<int> stages = {};          // global stage numbers of this rank's parts
};

// The transformed model, and its optimizer once created.
struct TrainingProgram {
  // The model, or this rank's parts of it. A model transform applies to each part as to a model.
  std::vector<ModulePtr> parts;
  std::optional<PipelinePlan> pipeline;
  Autocast autocast;  // the training loop runs forward under it
  std::shared_ptr<Optimizer> optimizer;
  // The training loop calls these before each microbatch's forward, where users write `with model.no_sync()`. `last` marks the
  // step's last microbatch.
  std::vector<std::function<void(bool last)>> on_microbatch;
  // The training loop passes each batch through these: tokens and labels [samples, sequence], positions [sequence].
  std::vector<std::function<Tensors(Tensors batch)>> on_batch;
  // Mesh axes along which tensor parallelism shards activations by sequence, so that MoE routers on different ranks see
  // different tokens. Token counts of experts are summed over them.
  std::vector<std::string> splits_activations;
  // Returns example inputs for tracing the model, one entry per distinct microbatch size of a step, that of the first
  // microbatch first. Each entry is one microbatch of all ranks along `axes` together.
  std::function<std::vector<std::vector<SampleInput>>(const std::vector<std::string>& axes)> sample_batches;
  // Gradients that no data-parallel wrapper reduces; the training loop all-reduces them after the last backward.
  std::vector<LateSum> late_sums;
};

// The mesh, and the rank that applies a transform.
struct Site {
  Mesh mesh;
  int rank = 0;
};

struct Transform {
  BuiltTransform built;  // the transform's name (stack/transforms.h), and the options and values that this engine supports
  // Changes the program on one rank. Its exceptions fail the run in phase `apply`.
  void (*apply)(TrainingProgram& program, const Item& item, const Site& site);
  // The mesh axis on which this transform broadcasts all parameters from the first rank; empty if it does not. Other ranks of
  // the axis then start with different values, so that a missing broadcast changes the numbers.
  std::string broadcasts_over = {};
};

// Each is defined in the source file of its name, except fsdp, hsdp and replicate (fsdp.cpp) and their SimpleFSDP versions
// (simple_fsdp.cpp).
Transform ac_transform();
Transform amp_transform();
Transform auto_parallel_transform();  // if built with HiGHS
Transform compile_transform();
Transform cp_transform();
Transform ddp_transform();
Transform ep_transform();
Transform fsdp_transform();
Transform hsdp_transform();
Transform optimizer_transform();
Transform pp_transform();
Transform replicate_transform();
Transform sac_transform();
Transform simple_fsdp_transform();
Transform simple_hsdp_transform();
Transform simple_replicate_transform();
Transform tp_transform();

// Lists every transform that this engine builds. A test compares the table with stack/transforms.h.
const std::vector<Transform>& transform_catalog();
std::vector<BuiltTransform> built_transforms();  // from the catalog
const Transform* find_transform_of_engine(const std::string& name);

}  // namespace ordercheck::ranks
