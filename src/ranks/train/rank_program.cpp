#include "ranks/train/rank_program.h"

#include <cassert>

#include <ATen/ATen.h>

#include "ranks/arith/range.h"
#include "ranks/comm/collectives.h"
#include "ranks/model/initial.h"
#include "ranks/model/llama.h"
#include "ranks/train/batch.h"
#include "ranks/train/loss.h"
#include "ranks/train/operator_meter.h"
#include "ranks/transform/transform.h"
#include "stack/step_data.h"
#include "stack/trainer.h"

namespace ordercheck::ranks {
namespace {

// Keeps gradients above the grid. A power of two: dividing it out again changes no bit.
constexpr double kLossScale = 256;

// Far from the seeds that a case is looked at with again.
constexpr std::uint64_t kSeedsApart = 1000003;

class RankRun {
 public:
  RankRun(const RankProgram& program, RankState& rank) : program_(program), rank_(rank) {
    site_ = {.mesh = rank.mesh, .rank = rank.rank, .mutant = program.mutant};
  }

  RankResult run() {
    rank_.set_phase(0, Phase::build);
    training_.model =
        make_llama(kUsualModel, {.dtype = program_.dtype, .seed = program_.subject.settings.seed, .mutant = program_.mutant});
    rank_.set_phase(0, Phase::apply);
    for (const Item& item : program_.subject.stack.items) apply(item);
    if (!training_.optimizer) apply(default_trainer());
    if (program_.trace) watch_modules();
    if (program_.graphs) rank_.on_capture = [this](const GraphRecord& graph) { result_.graphs.push_back(graph); };

    rank_.parameters_held.restart_peak();
    for (int step = 0; step < program_.subject.settings.steps; ++step) {
      if (rank_.rank == 0 && program_.on_step) program_.on_step(step);
      train(step);
    }
    result_.values = pieces([](const Parameter& p) { return p.tensor.detach().clone(); });
    result_.collectives = rank_.collectives();
    result_.counters = rank_.counters;
    result_.counters.parameter_bytes_peak = rank_.parameters_held.peak();
    result_.counters.saved_bytes_peak = rank_.saved_for_backward.peak();
    result_.notes = rank_.notes;
    return std::move(result_);
  }

 private:
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
    for (const NamedParameter& named : parameters_of(training_.model)) {
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
      for (int microbatch = 0; microbatch < settings.accumulation; ++microbatch) {
        losses.push_back(forward_backward(step, microbatch, all_tokens));
      }
    }
    rank_.set_phase(step, Phase::observe);
    at::Tensor loss_sum;
    {
      // Of all microbatches; only replicas add theirs to it.
      const int replicas = group_size("dp_replicate") * group_size("dp_shard");
      const FewerPartialResults total(world_size(rank_.mesh) * settings.accumulation / replicas);
      loss_sum = at::sum(at::cat(losses), /*dim=*/0, /*keepdim=*/true);
    }
    for (const char* axis : {"dp_replicate", "dp_shard"}) loss_sum = all_reduce(loss_sum, axis);
    result_.loss.push_back(bits_of(loss_sum.item<double>() / all_tokens));
    result_.gradients.push_back(pieces([](const Parameter& p) {
      const at::Tensor& gradient = p.tensor.grad();
      return gradient.defined() ? gradient / kLossScale : at::zeros_like(p.tensor.detach());
    }));

    rank_.set_phase(step, Phase::optimizer);
    const double norm = training_.optimizer->gradient_norm(kLossScale);
    result_.gradient_norm.push_back(bits_of(norm));
    training_.optimizer->step(kLossScale, norm);
    training_.optimizer->clear_gradients();
  }

  at::Tensor forward_backward(int step, int microbatch, int all_tokens) {
    const Settings& settings = program_.subject.settings;
    const Batch batch = batch_of(settings.seed, step, rank_.mesh, rank_.rank, microbatch, settings.accumulation);
    for (const auto& tell : training_.on_microbatch) tell(microbatch + 1 == settings.accumulation);
    rank_.set_phase(step, Phase::forward);
    const at::Tensor logits = training_.model->call({batch.tokens, batch.positions});
    const at::Tensor sum = summed_cross_entropy(logits, batch.labels, training_.model->output_placements);
    const int tokens = program_.mutant == "local_tokens"
                           ? batch.valid_tokens * settings.accumulation * data_parallel_degree(rank_.mesh)
                           : all_tokens;
    rank_.set_phase(step, Phase::backward);
    const bool dropped = program_.mutant == "skip_microbatch" && microbatch + 1 == settings.accumulation;
    if (!dropped) (sum * (kLossScale / tokens)).backward();
    return sum.detach().reshape({1});
  }

  std::map<std::string, Piece> pieces(const std::function<at::Tensor(const Parameter&)>& take) const {
    const at::NoGradGuard no_grad;
    std::map<std::string, Piece> taken;
    for (const NamedParameter& named : parameters_of(training_.model)) {
      taken[named.name] = {.tensor = take(*named.parameter), .placements = named.parameter->placements};
    }
    return taken;
  }

  void watch_modules() {
    rank_.on_output = [this](const std::string& path, const Placements& placements, const at::Tensor& output) {
      const int step = rank_.step();
      result_.trace.push_back({step, Phase::forward, path, {output.detach().clone(), placements}});
      if (!output.requires_grad()) return;
      output.register_hook([this, step, path, placements](const at::Tensor& gradient) {
        result_.trace.push_back({step, Phase::backward, path, {gradient.detach() / kLossScale, placements}});
      });
    };
  }

  const RankProgram& program_;
  RankState& rank_;
  Site site_;
  TrainingProgram training_;
  RankResult result_;
};

}  // namespace

RankResult run_rank_program(const RankProgram& program, RankState& rank) { return RankRun(program, rank).run(); }

}  // namespace ordercheck::ranks
