#include "native/train/build_program.h"

#include <cassert>
#include <map>
#include <stdexcept>

#include <ATen/ATen.h>

#include "native/module/layers.h"
#include "native/module/models.h"
#include "native/train/batch.h"
#include "native/world/collectives.h"
#include "stack/trainer.h"

namespace ordercheck::ranks {
namespace {

// Added to the seed per rank for different initial weights. Larger than the difference between any two seeds of runs of one
// case, which are small and consecutive.
constexpr std::uint64_t kSeedOffset = 1000003;

std::vector<SampleInput> sample_inputs(const Settings& settings, const RankState& state, const std::vector<std::string>& axes,
                                       int microbatch) {
  Tensors tokens, positions;
  for (const int rank : group_of(state.mesh, state.rank, axes)) {
    const Batch batch = batch_of(settings.seed, /*step=*/0, state.mesh, rank, microbatch, settings.accumulation);
    tokens.push_back(batch.tokens.to(state.device));
    positions.push_back(batch.positions.to(state.device));
  }
  return {{.tensor = at::cat(tokens), .has_samples = true}, {.tensor = positions.front()}};
}

// Returns example inputs for tracing: one batch for each distinct size of the step's microbatches.
std::vector<std::vector<SampleInput>> sample_batches(const Settings& settings, const RankState& state,
                                                     const std::vector<std::string>& axes) {
  std::vector<std::vector<SampleInput>> batches;
  for (int microbatch = 0; microbatch < settings.accumulation; ++microbatch) {
    auto inputs = sample_inputs(settings, state, axes, microbatch);
    const auto samples = [](const std::vector<SampleInput>& of) { return of.front().tensor.size(0); };
    const bool is_known = std::ranges::any_of(batches, [&](const auto& known) { return samples(known) == samples(inputs); });
    if (!is_known) batches.push_back(std::move(inputs));
  }
  return batches;
}

// Gives ranks of `axis` after the first different initial weights, so that a transform that promises to broadcast but does not
// changes the numbers.
void scatter_initial_weights(const TrainingProgram& program, const std::string& axis, std::uint64_t seed) {
  const int place = group_rank(axis);
  if (place == 0) return;
  const at::NoGradGuard no_grad;
  for (const NamedParameter& named : parameters_of(program)) {
    at::Tensor value = named.parameter->tensor.detach();
    value.copy_(initial_parameter(seed + kSeedOffset * static_cast<std::uint64_t>(place), named.name, value.sizes(),
                                  value.scalar_type()));
  }
}

}  // namespace

TrainingProgram build_program(const RankProgram& program, RankState& rank) {
  const Settings& settings = program.subject.settings;
  const Site site{.mesh = rank.mesh, .rank = rank.rank};
  TrainingProgram training;
  training.parts = {make_model(program.subject.model, {.dtype = program.dtype, .device = rank.device, .seed = settings.seed})};
  training.sample_batches = [&settings, &rank](const std::vector<std::string>& axes) {
    return sample_batches(settings, rank, axes);
  };
  rank.set_phase(0, Phase::apply);
  const auto apply = [&](const Item& item) {
    const Transform* transform = program.find_transform(item.name);
    assert(transform && "asked before the ranks were started");
    if (!transform->broadcasts_over.empty()) scatter_initial_weights(training, transform->broadcasts_over, settings.seed);
    transform->apply(training, item, site);
  };
  for (const Item& item : program.subject.stack.items) apply(item);
  if (!training.optimizer) apply(default_trainer());
  training.optimizer->loss_scale = kLossScale;
  return training;
}

Pipeline make_pipeline(const TrainingProgram& program, int accumulation) {
  const PipelinePlan& plan = *program.pipeline;
  const ScheduleSizes sizes{.ranks = group_size(kPipelineAxis),
                            .stages_per_rank = plan.stages_per_rank,
                            .microbatches = plan.microbatches.value_or(accumulation)};
  auto schedule = make_schedule(plan.kind, sizes);
  if (!schedule) throw std::runtime_error(schedule.error().message);
  if (const auto fault = find_fault(*schedule, sizes)) throw std::runtime_error(*fault);
  std::map<int, ModulePtr> stages;
  for (std::size_t i = 0; i < plan.stages.size(); ++i) stages[plan.stages[i]] = program.parts[i];
  return {*std::move(schedule), kPipelineAxis, std::move(stages)};
}

std::vector<NamedParameter> parameters_of(const TrainingProgram& program) {
  std::vector<NamedParameter> all;
  for (const ModulePtr& part : program.parts)
    for (NamedParameter& named : parameters_of(part)) all.push_back(std::move(named));
  return all;
}

}  // namespace ordercheck::ranks
