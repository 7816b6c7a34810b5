// A transform: something done to a model.
//
// It is handed the model as earlier transforms left it, its own item of the stack (name, degree, options) and the mesh it
// stands on. That is all it may look at: no stack, no rule, no other transform's name. It may read what modules generally
// offer: children, parameters, placements. An order that cannot work must break by itself, or turn out to work.
// What several transforms share is in ranks/mechanism/: no transform calls another.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocol/case_codec.h"
#include "ranks/graph/autocast.h"
#include "ranks/mechanism/late_sums.h"
#include "ranks/mechanism/optimizer.h"
#include "ranks/module/module.h"
#include "ranks/module/sample_input.h"
#include "ranks/schedule/schedule.h"
#include "stack/mesh.h"
#include "stack/stack.h"

namespace ordercheck::ranks {

// How the stages of a pipeline are run once every transform has been applied to them.
struct PipelinePlan {
  ScheduleKind kind = ScheduleKind::one_forward_one_backward;
  int stages_per_rank = 1;
  std::optional<int> microbatches = {};  // nothing: as many as the step accumulates
  std::vector<int> stages = {};          // the numbers of this rank's parts
};

// What is being transformed: a model, and its optimizer once there is one.
struct TrainingProgram {
  // The model, or the parts of it that this rank has. A transform of a model is applied to each part as to a model.
  std::vector<ModulePtr> parts;
  std::optional<PipelinePlan> pipeline;
  Autocast autocast;  // of forward
  std::shared_ptr<Optimizer> optimizer;
  // Called by the training loop before each microbatch's forward, with whether it is the step's last: where a user writes
  // `with model.no_sync()`.
  std::vector<std::function<void(bool last)>> on_microbatch;
  // What the training loop passes a batch through before it uses it: tokens and labels [samples, sequence], positions [sequence].
  std::vector<std::function<Tensors(Tensors batch)>> on_batch;
  // Axes over whose ranks activations between modules are split, so that each works on other tokens there.
  std::vector<std::string> splits_activations;
  // The arguments of the model's call for one microbatch of all ranks along these axes together, which is what a user traces a model
  // with; of every size that the microbatches of a step have, the first one's first.
  std::function<std::vector<std::vector<SampleInput>>(const std::vector<std::string>& axes)> sample_batches;
  // What the trainer sums because no wrapper does.
  std::vector<LateSum> late_sums;
};

// Where it stands.
struct Site {
  Mesh mesh;
  int rank = 0;
};

struct Transform {
  BuiltTransform built;  // its name, as in stack/transforms.h, and what of it this engine builds
  // Throws what goes wrong; the step records it with phase `apply`.
  void (*apply)(TrainingProgram& program, const Item& item, const Site& site);
  // The axis over which it promises to give every rank the first one's values of all parameters that it is handed; "" for
  // none. Those ranks start apart before it, so that a promise that is not kept is seen.
  std::string broadcasts_over = {};
};

// Each in a source of its own name; the three that FSDP2's groups make in fsdp.cpp, the three of SimpleFSDP in simple_fsdp.cpp.
Transform ac_transform();
Transform amp_transform();
Transform auto_parallel_transform();  // where HiGHS is there
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

// Every transform that this engine builds. An explicit table; a test holds it against stack/transforms.h.
const std::vector<Transform>& transform_catalog();
std::vector<BuiltTransform> built_transforms();  // of the catalogue
const Transform* find_transform_of_engine(const std::string& name);

}  // namespace ordercheck::ranks
