#include "native/transform/pipeline.h"

#include <algorithm>
#include <stdexcept>

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include "native/module/rank.h"
#include "native/transform/sharded_blocks.h"
#include "native/world/collectives.h"

namespace ordercheck::ranks {
namespace {

// Elements of the message that announces a tensor's shape to the next stage: number of dims, dtype, and up to six sizes.
constexpr int64_t kShapeLength = 8;

at::Tensor shape_message(const at::Tensor& tensor) {
  const at::IntArrayRef sizes = tensor.sizes();
  TORCH_CHECK(tensor.dim() < kShapeLength - 1, "a stage hands on a tensor of ", tensor.dim(), " dims");
  at::Tensor message = at::zeros({kShapeLength}, at::kLong);
  auto* const numbers = message.mutable_data_ptr<int64_t>();
  numbers[0] = static_cast<int64_t>(sizes.size());
  numbers[1] = static_cast<int64_t>(tensor.scalar_type());
  std::ranges::copy(sizes, numbers + 2);
  return message.to(tensor.device());
}

at::TensorOptions tensor_options(at::ScalarType dtype) { return at::TensorOptions(dtype).device(device_now()); }

bool ends_backward(Computation computation) {
  return computation == Computation::backward || computation == Computation::backward_weight;
}

}  // namespace

Pipeline::Pipeline(Schedule schedule, std::string axis, std::map<int, ModulePtr> stages)
    : schedule_(std::move(schedule)), axis_(std::move(axis)), stages_(std::move(stages)) {
  for (const auto& [number, stage] : stages_) stage->run_by_pipeline();
}

int Pipeline::microbatches() const {
  int count = 0;
  for (const Slot& slot : schedule_.ranks[static_cast<std::size_t>(group_rank(axis_))])
    for (const Action& action : slot) count = std::max(count, action.microbatch + 1);
  return count;
}

void Pipeline::step(const PipelineStep& step) {
  for (const auto& [number, stage] : stages_) backwards_left_[number] = microbatches();
  for (const Slot& slot : schedule_.ranks[static_cast<std::size_t>(group_rank(axis_))])
    for (const Action& action : slot) run(action, step);
  for (const auto& work : sent_) work->wait();
  sent_.clear();
  live_.clear();
}

void Pipeline::run(const Action& action, const PipelineStep& step) {
  step.before(action.computation);
  if (ends_backward(action.computation)) complete_if_last(action);
  switch (action.computation) {
    case Computation::forward: return forward(action, step);
    case Computation::backward: return backward(action);
    case Computation::backward_input: return backward_input(action);
    case Computation::backward_weight: return backward_weight(action);
  }
}

void Pipeline::complete_if_last(const Action& action) {
  if (--backwards_left_[action.stage] == 0) stages_.at(action.stage)->before_last_backward();
}

void Pipeline::forward(const Action& action, const PipelineStep& step) {
  Live& live = live_[{action.stage, action.microbatch}];
  Tensors inputs = step.inputs(action.microbatch);
  if (action.stage > 0) {
    live.input = take(action.stage, action.microbatch, Direction::down).set_requires_grad(true);
    inputs[0] = live.input;
  }
  live.output = step.call(stages_.at(action.stage), inputs);
  if (action.stage == last_stage())
    live.output = step.loss(action.microbatch, live.output);
  else
    hand_on(live.output, action.stage + 1, action.microbatch, Direction::down);
}

// Returns the gradient of the stage's output, received from the next stage. Undefined for the last stage's loss, so that
// autograd starts from 1.
at::Tensor Pipeline::output_gradient(const Action& action) {
  if (action.stage == last_stage()) return {};
  return take(action.stage, action.microbatch, Direction::up);
}

void Pipeline::hand_input_gradient(const Action& action) {
  const Live& live = live_[{action.stage, action.microbatch}];
  if (action.stage > 0) hand_on(live.input.grad(), action.stage - 1, action.microbatch, Direction::up);
}

// Runs backward through the stage. A first stage whose parameters are all frozen has an output that requires no grad: nothing
// to do.
void Pipeline::go_back(const Live& live) {
  if (live.output.requires_grad()) torch::autograd::backward({live.output}, {live.gradient});
}

void Pipeline::backward(const Action& action) {
  Live& live = live_[{action.stage, action.microbatch}];
  live.gradient = output_gradient(action);
  go_back(live);
  hand_input_gradient(action);
  live.output.reset();
}

void Pipeline::backward_input(const Action& action) {
  Live& live = live_[{action.stage, action.microbatch}];
  live.gradient = output_gradient(action);
  if (action.stage == 0) return;  // no earlier stage needs it
  torch::autograd::backward({live.output}, {live.gradient}, /*retain_graph=*/true, /*create_graph=*/false, {live.input});
  hand_input_gradient(action);
}

void Pipeline::backward_weight(const Action& action) {
  Live& live = live_[{action.stage, action.microbatch}];
  // This second run through the stage computes the input's gradient again: reset the one that was already sent, so that it is
  // not added.
  if (live.input.defined()) live.input.mutable_grad().reset();
  go_back(live);
  live.output.reset();
}

int Pipeline::tag_of(int stage, int microbatch, Direction direction) const {
  return (stage * microbatches() + microbatch) * 2 + (direction == Direction::up ? 1 : 0);
}

void Pipeline::hand_on(const at::Tensor& tensor, int stage, int microbatch, Direction direction) {
  const int peer = schedule_.rank_of_stage[static_cast<std::size_t>(stage)];
  const std::pair key{Place{stage, microbatch}, direction};
  if (peer == group_rank(axis_)) {
    handed_over_[key] = tensor.detach().clone();
    return;
  }
  const int tag = tag_of(stage, microbatch, direction);
  if (!std::exchange(shape_sent_[key], true)) sent_.push_back(send_later(shape_message(tensor), peer, tag, axis_));
  sent_.push_back(send_later(tensor, peer, tag, axis_));
}

at::Tensor Pipeline::take(int stage, int microbatch, Direction direction) {
  const int from = direction == Direction::down ? stage - 1 : stage + 1;
  const int peer = schedule_.rank_of_stage[static_cast<std::size_t>(from)];
  const std::pair key{Place{stage, microbatch}, direction};
  if (peer == group_rank(axis_)) return std::exchange(handed_over_[key], {});
  const int tag = tag_of(stage, microbatch, direction);
  if (!shapes_.contains(key)) {
    const at::Tensor message = recv({kShapeLength}, tensor_options(at::kLong), peer, tag, axis_).to(at::kCPU);
    const auto* const numbers = message.const_data_ptr<int64_t>();
    shapes_[key] = {.sizes = {numbers + 2, numbers + 2 + numbers[0]}, .dtype = static_cast<at::ScalarType>(numbers[1])};
  }
  return recv(shapes_[key].sizes, tensor_options(shapes_[key].dtype), peer, tag, axis_);
}

namespace {

struct Range {
  int first, end;
  bool holds(int index) const { return first <= index && index < end; }
};

// Returns the range of blocks 0 to count - 1 that a stage gets.
Range dealt(int count, int stage, int stages) { return {stage * count / stages, (stage + 1) * count / stages}; }

}  // namespace

void keep_stage(const ModulePtr& model, int stage, int stages) {
  const ModulePtr layers = layers_of(model);
  const int blocks = static_cast<int>(layers->children().size());
  const bool ends_count = stages > blocks;
  const int parts = ends_count ? blocks + 2 : blocks;
  if (stages > parts)
    throw std::runtime_error(fmt::format(
        "a pipeline of {} stages: expected at most {}, for {} blocks, the embedding and the output", stages, parts, blocks));
  Range mine = dealt(parts, stage, stages);
  const bool has_first = ends_count ? mine.holds(0) : stage == 0;
  const bool has_last = ends_count ? mine.holds(parts - 1) : stage == stages - 1;
  if (ends_count) mine = {mine.first - 1, mine.end - 1};

  const auto names = layers->children();  // a copy: the loop modifies the original
  for (int index = 0; index < blocks; ++index)
    if (!mine.holds(index)) layers->remove_child(names[static_cast<std::size_t>(index)].first);
  ModulePtr holder = model;
  while (holder->is_wrapper() && !holder->child("layers")) holder = holder->children().front().second;
  if (!has_first) holder->remove_child("tok_embeddings");
  if (has_last) return;
  for (const char* last : {"norm", "output"}) holder->remove_child(last);
}

}  // namespace ordercheck::ranks
