#include "ranks/train/rank_program.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <stdexcept>

#include <ATen/ATen.h>

#include "captured/lifetimes.h"
#include "captured/timeline.h"
#include "ranks/arith/range.h"
#include "ranks/comm/collectives.h"
#include "ranks/mechanism/distributed_experts.h"
#include "ranks/mechanism/pipeline.h"
#include "ranks/mechanism/sharded_blocks.h"
#include "ranks/model/layers.h"
#include "ranks/model/models.h"
#include "ranks/train/batch.h"
#include "ranks/train/operator_meter.h"
#include "ranks/transform/transform.h"
#include "stack/counter_random.h"
#include "stack/model_sizes.h"
#include "stack/step_data.h"
#include "stack/trainer.h"

namespace ordercheck::ranks {
namespace {

// Keeps gradients above the grid. A power of two: dividing it out again changes no bit.
constexpr double kLossScale = 256;

// Far from the seeds that a case is looked at with again.
constexpr std::uint64_t kSeedsApart = 1000003;

constexpr const char* kPipelineAxis = "pp";

Pipeline pipeline_of(const TrainingProgram& program, int accumulation) {
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

class RankRun {
 public:
  RankRun(const RankProgram& program, RankState& rank) : program_(program), rank_(rank) {
    site_ = {.mesh = rank.mesh, .rank = rank.rank};
  }

  RankResult run() {
    rank_.set_phase(0, Phase::build);
    training_.parts = {make_model(program_.subject.model,
                                  {.dtype = program_.dtype, .device = rank_.device, .seed = program_.subject.settings.seed})};
    training_.sample_batches = [this](const std::vector<std::string>& axes) { return sample_batches(axes); };
    const auto keep = [this](const GraphRecord& graph) { result_.graphs.push_back(graph); };
    rank_.on_capture = [this, keep](const GraphRecord& graph) {
      captured_.push_back(graph);
      if (program_.graphs) keep(graph);
    };
    if (program_.passes) rank_.on_pass = keep;
    if (program_.graphs) rank_.on_plan = [this](const PlanRecord& plan) { result_.plans.push_back(plan); };
    rank_.set_phase(0, Phase::apply);
    for (const Item& item : program_.subject.stack.items) apply(item);
    if (!training_.optimizer) apply(default_trainer());
    training_.optimizer->loss_scale = kLossScale;
    watch_steps_in_backward();
    if (training_.pipeline) pipeline_.emplace(pipeline_of(training_, program_.subject.settings.accumulation));
    if (program_.trace) watch_modules();

    rank_.parameters_held.restart_peak();
    for (int step = 0; step < program_.subject.settings.steps; ++step) {
      if (rank_.rank == 0 && program_.on_step) program_.on_step(step);
      train(step);
    }
    const auto held = trained();
    result_.where = where_this_rank_ran(rank_, held.empty() ? rank_.device : held.front().parameter->tensor.device());
    result_.has_block = !blocks_of(training_.parts).empty();
    result_.values = pieces([](const Parameter& p) { return p.tensor.detach().clone(); });
    result_.collectives = rank_.collectives();
    result_.counters = rank_.counters;
    result_.counters.parameter_bytes_peak = rank_.parameters_held.peak();
    result_.counters.saved_bytes_peak = rank_.saved_for_backward.peak();
    count_graphs();
    result_.notes = rank_.notes;
    return std::move(result_);
  }

 private:
  void count_graphs() {
    const auto line = captured::timeline_of(captured_, captured::stated_machine());
    Counters& counters = result_.counters;
    if (!line) return;  // a product of elements for which the machine states no speed
    counters.graph_step_ns = line->step;
    counters.graph_exposed_ns = line->exposed;
    counters.graph_buckets = line->buckets;
    counters.graph_held_bytes_peak = captured::held_bytes_peak(captured_);
  }

  void apply(const Item& item) {
    const Transform* transform = program_.find_transform(item.name);
    assert(transform && "asked before the ranks were started");
    if (!transform->broadcasts_over.empty()) start_apart(transform->broadcasts_over);
    transform->apply(training_, item, site_);
  }

  // All ranks of the axis but the first hold what another seed gives.
  void start_apart(const std::string& axis) {
    const int place = group_rank(axis);
    if (place == 0) return;
    const at::NoGradGuard no_grad;
    const std::uint64_t seed = program_.subject.settings.seed + kSeedsApart * static_cast<std::uint64_t>(place);
    for (const NamedParameter& named : trained()) {
      at::Tensor value = named.parameter->tensor.detach();
      value.copy_(initial_parameter(seed, named.name, value.sizes(), value.scalar_type()));
    }
  }

  // Losses are summed first and scaled last: a sum of terms on the grid is exact, a sum of quotients is not.
  void train(int step) {
    rank_.counters = {.graph_captures = rank_.counters.graph_captures, .graph_breaks = rank_.counters.graph_breaks};
    rank_.compiled.forget_nodes();
    const Settings& settings = program_.subject.settings;
    const int all_tokens = ordercheck::valid_tokens(settings.seed, step);
    std::vector<at::Tensor> losses;
    {
      const DispatchModeScope counting(new OperatorMeter(rank_));
      if (pipeline_)
        losses = run_pipeline(step, all_tokens);
      else
        for (int microbatch = 0; microbatch < settings.accumulation; ++microbatch)
          losses.push_back(forward_backward(step, microbatch, all_tokens));
    }
    for (const ModulePtr& part : training_.parts) sum_late(part, training_.late_sums);
    rank_.set_phase(step, Phase::observe);
    at::Tensor loss_sum;
    {
      // Of all microbatches; only ranks with other tokens add theirs to it.
      int others = 1;
      for (const std::string& axis : axes_of_tokens()) others *= group_size(axis);
      const FewerPartialResults total(world_size(rank_.mesh) / group_size(kPipelineAxis) * settings.accumulation / others);
      loss_sum = at::sum(at::cat(losses), /*dim=*/0, /*keepdim=*/true);
    }
    for (const std::string& axis : axes_of_tokens()) loss_sum = all_reduce(loss_sum, axis);
    if (pipeline_) loss_sum = all_reduce(loss_sum, kPipelineAxis);
    result_.loss.push_back(bits_of(loss_sum.item<double>() / all_tokens));
    result_.gradients.push_back(pieces([this](const Parameter& p) {
      const at::Tensor gradient = gradient_of(p);
      return gradient.defined() ? gradient / kLossScale : at::zeros_like(p.tensor.detach());
    }));

    rank_.set_phase(step, Phase::optimizer);
    for (const ModulePtr& part : training_.parts) move_expert_biases(part, axes_of_expert_tokens());
    // A trainer that clips takes the norm of the gradients that it finds. Where none does, the norm is only observed.
    const bool clips = training_.optimizer->clips();
    const double norm =
        training_.optimizer->gradient_norm([&](const Parameter& p) { return clips ? p.tensor.grad() : gradient_of(p); });
    result_.gradient_norm.push_back(bits_of(norm));
    training_.optimizer->step(norm);
    training_.optimizer->clear_gradients();
    stepped_by_.clear();
  }

  // What an optimizer steps by within backward is gone behind it: the record has copies, of all backwards of the step added up.
  void watch_steps_in_backward() {
    rank_.on_step_in_backward = [this](const Parameter& parameter, const at::Tensor& gradient) {
      at::Tensor& sum = stepped_by_[&parameter];
      sum = sum.defined() ? sum + gradient : gradient.clone();
    };
  }

  // That of the step, as the optimizer got it: in backward, or else behind it.
  at::Tensor gradient_of(const Parameter& parameter) const {
    const auto stepped = stepped_by_.find(&parameter);
    return stepped == stepped_by_.end() ? parameter.tensor.grad() : stepped->second;
  }

  at::Tensor forward_backward(int step, int microbatch, int all_tokens) {
    const Settings& settings = program_.subject.settings;
    for (const auto& tell : training_.on_microbatch) tell(microbatch + 1 == settings.accumulation);
    const Data data = data_of(step, microbatch, settings.accumulation);
    rank_.set_phase(step, Phase::forward);
    begin_forward(step, data);
    const ModulePtr& model = training_.parts.front();
    const at::Tensor logits = in_forward([&] { return model->call({data.tokens, data.positions}); });
    const at::Tensor sum = summed_cross_entropy(logits, data.labels, model->output_placements, kUsualModel.vocab);
    rank_.set_phase(step, Phase::backward);
    scaled(sum, all_tokens).backward();
    return sum.detach().reshape({1});
  }

  // Under the program's autocast, which a loss and a backward are outside of.
  at::Tensor in_forward(const std::function<at::Tensor()>& call) const {
    const AutocastScope cast(training_.autocast);
    return call();
  }

  // The losses of the microbatches; one of 0 on ranks without the last stage.
  std::vector<at::Tensor> run_pipeline(int step, int all_tokens) {
    const int microbatches = pipeline_->microbatches();
    std::vector<at::Tensor> losses;
    std::vector<Data> data;
    for (int microbatch = 0; microbatch < microbatches; ++microbatch) data.push_back(data_of(step, microbatch, microbatches));
    const auto loss = [&](int microbatch, const at::Tensor& logits) {
      const Data& of = data[static_cast<std::size_t>(microbatch)];
      const at::Tensor sum =
          summed_cross_entropy(logits, of.labels, training_.parts.back()->output_placements, kUsualModel.vocab);
      losses.push_back(sum.detach().reshape({1}));
      return scaled(sum, all_tokens);
    };
    pipeline_->step({.call = [this](const ModulePtr& stage,
                                    const Tensors& inputs) { return in_forward([&] { return stage->call(inputs); }); },
                     .inputs = [&](int microbatch) -> Tensors {
                       begin_forward(step, data[microbatch]);  // asked for once a forward of a stage
                       return {data[microbatch].tokens, data[microbatch].positions};
                     },
                     .loss = loss,
                     .before =
                         [&](Computation computation) {
                           rank_.set_phase(step, computation == Computation::forward ? Phase::forward : Phase::backward);
                         }});
    if (losses.empty()) losses.push_back(at::zeros({1}, at::TensorOptions(program_.dtype).device(rank_.device)));
    return losses;
  }

  struct Data {
    at::Tensor tokens, labels, positions;
    std::vector<std::int64_t> samples;
  };
  Data data_of(int step, int microbatch, int microbatches) {
    const Batch batch = batch_of(program_.subject.settings.seed, step, rank_.mesh, rank_.rank, microbatch, microbatches);
    Tensors data{batch.tokens.to(rank_.device), batch.labels.to(rank_.device), batch.positions.to(rank_.device)};
    for (const auto& pass_through : training_.on_batch) data = pass_through(std::move(data));
    result_.positions = data[2].to(at::kCPU);
    return {data[0], data[1], data[2], batch.samples};
  }

  // Of the first step.
  std::vector<SampleInput> sample_inputs(const std::vector<std::string>& axes, int microbatch) const {
    const Settings& settings = program_.subject.settings;
    Tensors tokens, positions;
    for (const int rank : group_of(rank_.mesh, rank_.rank, axes)) {
      const Batch batch = batch_of(settings.seed, 0, rank_.mesh, rank, microbatch, settings.accumulation);
      tokens.push_back(batch.tokens.to(rank_.device));
      positions.push_back(batch.positions.to(rank_.device));
    }
    return {{.tensor = at::cat(tokens), .has_samples = true}, {.tensor = positions.front()}};
  }

  std::vector<std::vector<SampleInput>> sample_batches(const std::vector<std::string>& axes) const {
    std::vector<std::vector<SampleInput>> batches;
    for (int microbatch = 0; microbatch < program_.subject.settings.accumulation; ++microbatch) {
      auto inputs = sample_inputs(axes, microbatch);
      const auto samples = [](const std::vector<SampleInput>& of) { return of.front().tensor.size(0); };
      const bool is_known = std::ranges::any_of(batches, [&](const auto& known) { return samples(known) == samples(inputs); });
      if (!is_known) batches.push_back(std::move(inputs));
    }
    return batches;
  }

  // Of a microbatch, of the model or of a stage. What is drawn belongs to the sample and the step, in whichever microbatch of
  // whichever rank the sample is.
  void begin_forward(int step, const Data& data) {
    rank_.random.restart(draw(program_.subject.settings.seed, key("random state"), step), data.samples);
    calls_.clear();
  }

  // What is differentiated: a sum of losses over the tokens of the step.
  static at::Tensor scaled(const at::Tensor& sum, int all_tokens) { return sum * (kLossScale / all_tokens); }

  std::vector<NamedParameter> trained() const {
    std::vector<NamedParameter> all;
    for (const ModulePtr& part : training_.parts)
      for (NamedParameter& named : parameters_of(part)) all.push_back(std::move(named));
    return all;
  }

  // Whose ranks have other tokens: each adds its part of the loss.
  static std::vector<std::string> axes_of_tokens() {
    std::vector<std::string> axes;
    for (std::size_t axis = 0; axis < kMeshAxes.size(); ++axis)
      if (kSplitAlongAxis[axis] == "batch" || kSplitAlongAxis[axis] == "sequence") axes.emplace_back(kMeshAxes[axis]);
    return axes;
  }

  // The same for the tokens that a mixture of experts counts: pieces of the sequence between tensor-parallel modules are others too.
  std::vector<std::string> axes_of_expert_tokens() const {
    std::vector<std::string> axes = axes_of_tokens();
    axes.insert(axes.end(), training_.splits_activations.begin(), training_.splits_activations.end());
    return axes;
  }

  std::map<std::string, Piece> pieces(const std::function<at::Tensor(const Parameter&)>& take) const {
    const at::NoGradGuard no_grad;
    std::map<std::string, Piece> taken;
    for (const NamedParameter& named : trained()) {
      taken[named.name] = {.tensor = take(*named.parameter).to(at::kCPU), .placements = named.parameter->placements};
    }
    return taken;
  }

  void watch_modules() {
    rank_.on_output = [this](const Module& module, const at::Tensor& output) {
      TracedPiece traced{.step = rank_.step(),
                         .phase = Phase::forward,
                         .module = module.plain_path(),
                         .call = calls_[&module]++,
                         .sequence_dim = module.sequence_dim,
                         .piece = {output.detach().to(at::kCPU, output.scalar_type(), /*non_blocking=*/false, /*copy=*/true),
                                   module.output_placements}};
      result_.trace.push_back(traced);
      if (!output.requires_grad()) return;
      traced.phase = Phase::backward;
      output.register_hook([this, traced](const at::Tensor& gradient) {
        TracedPiece backward = traced;
        backward.piece.tensor = (gradient.detach() / kLossScale).to(at::kCPU);
        result_.trace.push_back(std::move(backward));
      });
    };
  }

  const RankProgram& program_;
  RankState& rank_;
  Site site_;
  TrainingProgram training_;
  std::optional<Pipeline> pipeline_;
  std::map<const Module*, int> calls_;                 // of each module, since the forward began
  std::map<const Parameter*, at::Tensor> stepped_by_;  // within this step's backwards
  std::vector<GraphRecord> captured_;
  RankResult result_;
};

}  // namespace

RankResult run_rank_program(const RankProgram& program, RankState& rank) { return RankRun(program, rank).run(); }

}  // namespace ordercheck::ranks
