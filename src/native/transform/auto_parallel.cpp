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

void apply_auto_parallel(TrainingProgram& program, const Item& item, const Site& site) {
  if (program.pipeline)
    throw std::runtime_error(
        "auto_parallel traces a whole model with the inputs of one; expected that, got stages of a pipeline");
  const placing::StatedPlacement stated = placing::stated_placement(item);
  PlacedModelOptions options{
      .mesh = site.mesh, .rank = site.rank, .axes = {}, .rules = stated.rules, .machine = placing::for_built_in_models};
  std::vector<std::string> batch_axes;
  for (const placing::MeshAxis& axis : stated.mesh) {
    options.axes.push_back(axis.name);
    if (stated.rules.batch_axes.contains(axis.name)) batch_axes.push_back(axis.name);
  }
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
