// `auto_parallel`: automatic placement. An integer program decides how every value of the traced model is sharded over the
// data-parallel ranks and the ranks of option `tp`.
//
// After meta-pytorch/autoparallel as used by torchtitan's PR #1349: samples are split over the data-parallel ranks, logits over
// tp, parameters over all ranks. The result is data parallel, tensor parallel or both, whichever costs least. The model's call
// runs from a captured graph, because AutoParallel compiles its module.
#include <iterator>
#include <stdexcept>

#include "native/transform/captured_body.h"
#include "native/transform/placed_model.h"
#include "native/transform/transform.h"

namespace ordercheck::ranks {
namespace {

const std::vector<std::string> kBatchAxes{"dp_replicate", "dp_shard"};
constexpr const char* kTensors = "tp";

std::vector<std::string> axes_of(const Item& item) {
  std::vector<std::string> axes;
  if (count_option(item, "replicas", 1) > 1) axes.emplace_back("dp_replicate");
  axes.emplace_back("dp_shard");
  if (count_option(item, kTensors, 1) > 1) axes.emplace_back(kTensors);
  return axes;
}

void apply_auto_parallel(TrainingProgram& program, const Item& item, const Site& site) {
  if (program.pipeline)
    throw std::runtime_error(
        "auto_parallel traces a whole model with the inputs of one; expected that, got stages of a pipeline");
  std::vector<std::string> axes = axes_of(item), batch_axes;
  for (const std::string& axis : axes) {
    if (axis != kTensors) batch_axes.push_back(axis);
  }
  PlacedModelOptions options{.mesh = site.mesh, .rank = site.rank, .axes = axes};
  options.rules.batch_axes = {batch_axes.begin(), batch_axes.end()};
  options.rules.bounds_memory = option_of(item, "memory") != "replicated";
  if (option_of(item, "prefetch") == "free") options.rules.prefetched_percent = 0;
  if (option_of(item, "reshard") == "never") options.gathered = CheckpointPolicy::must_save;
  const ModulePtr& model = program.parts.front();
  std::vector<std::vector<SampleInput>> batches = program.sample_batches(batch_axes);
  options.other_batches.assign(std::next(batches.begin()), batches.end());
  place_by_plan(model, batches.front(), options);
  capture_body(*model, {});
}

}  // namespace

Transform auto_parallel_transform() {
  return {.built = {.name = "auto_parallel",
                    .scopes = {"model"},
                    .options = {{"tp"}, {"replicas"}, {"memory"}, {"prefetch"}, {"reshard"}}},
          .apply = apply_auto_parallel};
}

}  // namespace ordercheck::ranks
