// `pp`: pipeline parallelism: cuts the model into stages; each rank keeps its own.
//
//   gpipe, 1f1b, interleaved, zero_bubble, zbv, dualpipev   the schedule; 1f1b is the default. interleaved, zbv and
//                  dualpipev have two stages per rank
//   microbatches   number per step; default: as many as the step accumulates
//   cut            copy (the default): cuts a deep copy of the model, as torchtitan does; in_place: cuts the model itself
//
// As in torchtitan's manual split, every stage is a copy of the model without the other stages' modules. Later transforms apply
// to each stage as to a model.
#include "native/transform/pipeline.h"
#include "native/transform/transform.h"
#include "native/world/collectives.h"

namespace ordercheck::ranks {
namespace {

constexpr const char* kPipelineAxis = "pp";

struct Choice {
  const char* option;
  ScheduleKind kind;
  int stages_per_rank;
};

constexpr Choice kChoices[] = {
    {"1f1b", ScheduleKind::one_forward_one_backward, 1},
    {"gpipe", ScheduleKind::gpipe, 1},
    {"interleaved", ScheduleKind::interleaved, 2},
    {"zero_bubble", ScheduleKind::zero_bubble, 1},
    {"zbv", ScheduleKind::zbv, 2},
    {"dualpipev", ScheduleKind::dual_pipe_v, 2},
};

const Choice& choice_of(const Item& item) {
  for (const Choice& choice : kChoices)
    if (option_of(item, choice.option)) return choice;
  return kChoices[0];
}

// Returns the global numbers of this rank's stages. Stage s runs on rank s % ranks; in a V schedule, stages go down the ranks
// and back up.
std::vector<int> stages_of_rank(const Choice& choice) {
  const int ranks = group_size(kPipelineAxis), rank = group_rank(kPipelineAxis);
  if (choice.stages_per_rank == 1) return {rank};
  const bool is_v = choice.kind == ScheduleKind::zbv || choice.kind == ScheduleKind::dual_pipe_v;
  return {rank, is_v ? 2 * ranks - 1 - rank : rank + ranks};
}

void apply_pp(TrainingProgram& program, const Item& item, const Site&) {
  const Choice& choice = choice_of(item);
  const int stages = group_size(kPipelineAxis) * choice.stages_per_rank;
  const ModulePtr whole = program.parts.front();
  const bool copies = option_of(item, "cut").value_or("copy") == "copy";
  PipelinePlan plan{.kind = choice.kind, .stages_per_rank = choice.stages_per_rank, .stages = stages_of_rank(choice)};
  if (option_of(item, "microbatches")) plan.microbatches = count_option(item, "microbatches", 1);
  program.parts.clear();
  for (const int stage : plan.stages) {
    // With cut=in_place, earlier parts are copies all the same: keep_stage() removes modules that later parts need.
    const bool is_last_cut = stage == plan.stages.back();
    const ModulePtr part = copies || !is_last_cut ? whole->deep_copy() : whole;
    keep_stage(part, stage, stages);
    part->traced = stage == stages - 1;  // an inner stage returns what its last module returns, which is traced already
    program.parts.push_back(part);
  }
  program.pipeline = std::move(plan);
}

}  // namespace

Transform pp_transform() {
  return {
      .built = {.name = "pp",
                .scopes = {"model"},
                .options =
                    {{"gpipe"}, {"1f1b"}, {"interleaved"}, {"zero_bubble"}, {"zbv"}, {"dualpipev"}, {"microbatches"}, {"cut"}}},
      .apply = apply_pp};
}

}  // namespace ordercheck::ranks
