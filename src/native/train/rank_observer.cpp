#include "native/train/rank_observer.h"

#include <ATen/ATen.h>

#include "graph/lifetimes.h"
#include "graph/timeline.h"
#include "native/train/build_program.h"
#include "native/transform/sharded_blocks.h"

namespace ordercheck::ranks {

RankObserver::RankObserver(const RankProgram& program, RankState& rank) : program_(program), rank_(rank) {
  const auto keep = [this](const GraphRecord& graph) { result_.graphs.push_back(graph); };
  rank_.on_capture = [this, keep](const GraphRecord& graph) {
    captured_.push_back(graph);
    if (program_.graphs) keep(graph);
  };
  if (program_.passes) rank_.on_pass = keep;
  if (program_.graphs) rank_.on_plan = [this](const PlanRecord& plan) { result_.plans.push_back(plan); };
}

void RankObserver::watch(const TrainingProgram& training) {
  training_ = &training;
  // In-backward optimizers free gradients as they step, so the record keeps a copy summed over the step's backwards.
  rank_.on_step_in_backward = [this](const Parameter& parameter, const at::Tensor& gradient) {
    at::Tensor& sum = stepped_by_[&parameter];
    sum = sum.defined() ? sum + gradient : gradient.clone();
  };
  if (program_.trace) watch_modules();
}

void RankObserver::watch_modules() {
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

at::Tensor RankObserver::gradient_of(const Parameter& parameter) const {
  const auto stepped = stepped_by_.find(&parameter);
  return stepped == stepped_by_.end() ? parameter.tensor.grad() : stepped->second;
}

std::map<std::string, Piece> RankObserver::pieces(const std::function<at::Tensor(const Parameter&)>& take) const {
  const at::NoGradGuard no_grad;
  std::map<std::string, Piece> taken;
  for (const NamedParameter& named : parameters_of(*training_))
    taken[named.name] = {.tensor = take(*named.parameter).to(at::kCPU), .placements = named.parameter->placements};
  return taken;
}

void RankObserver::add_loss(double loss) { result_.loss.push_back(bits_of(loss)); }

void RankObserver::add_gradients() {
  result_.gradients.push_back(pieces([this](const Parameter& p) {
    const at::Tensor gradient = gradient_of(p);
    return gradient.defined() ? gradient / kLossScale : at::zeros_like(p.tensor.detach());
  }));
}

void RankObserver::add_gradient_norm(double norm) { result_.gradient_norm.push_back(bits_of(norm)); }

void RankObserver::count_graphs() {
  const auto line = captured::timeline_of(captured_, captured::stated_machine());
  Counters& counters = result_.counters;
  if (!line) return;  // no time estimate: the cost model has no matmul speed for this dtype
  counters.graph_step_ns = line->step;
  counters.graph_exposed_ns = line->exposed;
  counters.graph_buckets = line->buckets;
  counters.graph_held_bytes_peak = captured::held_bytes_peak(captured_);
}

RankResult RankObserver::finish() {
  const auto held = parameters_of(*training_);
  result_.where = where_this_rank_ran(rank_, held.empty() ? rank_.device : held.front().parameter->tensor.device());
  result_.has_block = !blocks_of(training_->parts).empty();
  result_.values = pieces([](const Parameter& p) { return p.tensor.detach().clone(); });
  result_.collectives = rank_.collectives();
  result_.counters = rank_.counters;
  result_.counters.parameter_bytes_peak = rank_.parameters_held.peak();
  result_.counters.saved_bytes_peak = rank_.saved_for_backward.peak();
  count_graphs();
  result_.notes = rank_.notes;
  return std::move(result_);
}

}  // namespace ordercheck::ranks
