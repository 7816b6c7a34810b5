// `pp`: pipeline parallelism: the model is cut into stages, and each rank keeps its own.
//
//   gpipe, 1f1b, interleaved, zero_bubble, zbv, dualpipev   the schedule; 1f1b by default. interleaved, zbv and dualpipev put two
//                  stages on a rank
//   microbatches   how many a step is cut into; by default as many as it accumulates
//   cut            copy (the default): a deep copy of the model is cut, as in torchtitan; in_place: the model itself
// As torchtitan splits a model by hand: every stage is a copy of the model without what other stages have. What is applied later
// is applied to each stage as to a model.
#include "ranks/comm/collectives.h"
#include "ranks/mechanism/pipeline.h"
#include "ranks/transform/transform.h"

namespace ordercheck::ranks {
namespace {

constexpr const char* kAxis = "pp";

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

// This rank's stages. They go round the ranks, or, in a V, down and back up.
std::vector<int> stages_of_rank(const Choice& choice) {
  const int ranks = group_size(kAxis), rank = group_rank(kAxis);
  if (choice.stages_per_rank == 1) return {rank};
  const bool is_v = choice.kind == ScheduleKind::zbv || choice.kind == ScheduleKind::dual_pipe_v;
  return {rank, is_v ? 2 * ranks - 1 - rank : rank + ranks};
}

void apply_pp(TrainingProgram& program, const Item& item, const Site&) {
  const Choice& choice = choice_of(item);
  const int stages = group_size(kAxis) * choice.stages_per_rank;
  const ModulePtr whole = program.parts.front();
  const bool copies = option_of(item, "cut").value_or("copy") == "copy";
  PipelinePlan plan{.kind = choice.kind, .stages_per_rank = choice.stages_per_rank, .stages = stages_of_rank(choice)};
  if (option_of(item, "microbatches")) plan.microbatches = count_option(item, "microbatches", 1);
  program.parts.clear();
  for (const int stage : plan.stages) {
    // Of several parts only the last can be the model itself.
    const bool is_last_cut = stage == plan.stages.back();
    const ModulePtr part = copies || !is_last_cut ? whole->deep_copy() : whole;
    keep_stage(part, stage, stages);
    part->traced = stage == stages - 1;  // else what it returns is what its last module does
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
