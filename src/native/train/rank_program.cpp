#include "native/train/rank_program.h"

#include <optional>

#include <ATen/ATen.h>

#include "native/arith/range.h"
#include "native/train/batch.h"
#include "native/train/build_program.h"
#include "native/train/operator_meter.h"
#include "native/train/rank_observer.h"
#include "native/transform/distributed_experts.h"
#include "native/world/collectives.h"
#include "stack/counter_random.h"
#include "stack/model_sizes.h"
#include "stack/step_data.h"

namespace ordercheck::ranks {
namespace {

// Returns the axes along which ranks have different tokens: the loss is summed over them.
std::vector<std::string> axes_of_tokens() {
  std::vector<std::string> axes;
  for (std::size_t axis = 0; axis < kMeshAxes.size(); ++axis)
    if (kSplitAlongAxis[axis] == "batch" || kSplitAlongAxis[axis] == "sequence") axes.emplace_back(kMeshAxes[axis]);
  return axes;
}

class TrainingLoop {
 public:
  TrainingLoop(const RankProgram& program, RankState& rank, TrainingProgram& training, RankObserver& observer)
      : program_(program), rank_(rank), training_(training), observer_(observer) {
    if (training_.pipeline) pipeline_.emplace(make_pipeline(training_, program_.subject.settings.accumulation));
  }

  // Trains one step. The loss is summed over all tokens first and divided last: a sum of terms on the grid is exact, a sum of
  // quotients is not.
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
      // Adds the losses of all microbatches here, and of other ranks below. Only ranks with other tokens add theirs, so this
      // sum has fewer partial results than the range check assumes.
      int others = 1;
      for (const std::string& axis : axes_of_tokens()) others *= group_size(axis);
      const FewerPartialResults total(world_size(rank_.mesh) / group_size(kPipelineAxis) * settings.accumulation / others);
      loss_sum = at::sum(at::cat(losses), /*dim=*/0, /*keepdim=*/true);
    }
    for (const std::string& axis : axes_of_tokens()) loss_sum = all_reduce(loss_sum, axis);
    if (pipeline_) loss_sum = all_reduce(loss_sum, kPipelineAxis);
    observer_.add_loss(loss_sum.item<double>() / all_tokens);
    observer_.add_gradients();

    rank_.set_phase(step, Phase::optimizer);
    for (const ModulePtr& part : training_.parts) move_expert_biases(part, axes_of_expert_tokens());
    // With clipping, the norm is that of `.grad`, as PyTorch computes it. Without, the norm is only recorded, and gradients
    // that an in-backward optimizer freed count too.
    const bool clips = training_.optimizer->clips();
    const double norm = training_.optimizer->gradient_norm(
        [&](const Parameter& p) { return clips ? p.tensor.grad() : observer_.gradient_of(p); });
    observer_.add_gradient_norm(norm);
    training_.optimizer->step(norm);
    training_.optimizer->clear_gradients();
    observer_.end_step();
  }

 private:
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

  // Runs forward under the stack's autocast; loss and backward run outside, as torch.autocast is used.
  at::Tensor in_forward(const std::function<at::Tensor()>& call) const {
    const AutocastScope cast(training_.autocast);
    return call();
  }

  // Runs a step through the pipeline. Returns the losses of the microbatches; a single 0 on ranks without the last stage.
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
                       begin_forward(step, data[microbatch]);  // called once per forward of a stage
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
    observer_.add_positions(data[2]);
    return {data[0], data[1], data[2], batch.samples};
  }

  // Prepares random numbers and observation for one forward. Random numbers depend on sample and step alone, so that every
  // layout draws the same.
  void begin_forward(int step, const Data& data) {
    rank_.random.restart(draw(program_.subject.settings.seed, key("random state"), step), data.samples);
    observer_.begin_forward();
  }

  // Returns the tensor to call backward on: the microbatch's loss sum divided by the step's tokens, times the loss scale.
  static at::Tensor scaled(const at::Tensor& sum, int all_tokens) { return sum * (kLossScale / all_tokens); }

  // Returns the axes over which token counts of experts are summed: those with different tokens, and tp if it shards
  // activations by sequence.
  std::vector<std::string> axes_of_expert_tokens() const {
    std::vector<std::string> axes = axes_of_tokens();
    axes.insert(axes.end(), training_.splits_activations.begin(), training_.splits_activations.end());
    return axes;
  }

  const RankProgram& program_;
  RankState& rank_;
  TrainingProgram& training_;
  RankObserver& observer_;
  std::optional<Pipeline> pipeline_;
};

}  // namespace

RankResult run_rank_program(const RankProgram& program, RankState& rank) {
  rank.set_phase(0, Phase::build);
  RankObserver observer(program, rank);
  TrainingProgram training = build_program(program, rank);
  observer.watch(training);
  TrainingLoop loop(program, rank, training, observer);
  rank.parameters_held.restart_peak();
  for (int step = 0; step < program.subject.settings.steps; ++step) {
    if (rank.rank == 0 && program.on_step) program.on_step(step);
    loop.train(step);
  }
  return observer.finish();
}

}  // namespace ordercheck::ranks
