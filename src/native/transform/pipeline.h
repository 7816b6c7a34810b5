// Runs a pipeline's steps: a schedule's actions in order, over this rank's stages. Activations go to the next stage's rank and
// gradients to the previous one's. Sends do not block until the step ends.
//
// As torch.distributed.pipelining's stages: a received activation is a new leaf, and a microbatch's backward starts from the
// gradient of the next stage. Once-per-step gradient reductions run in the last backward. A split backward runs the stage's
// backward twice, first for the inputs only.
//
// Used by one rank thread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <torch/csrc/distributed/c10d/Work.hpp>

#include "native/module/module.h"
#include "native/transform/schedule.h"

namespace ordercheck::ranks {

// Callbacks by which the training loop runs its code for each action of a step.
struct PipelineStep {
  std::function<at::Tensor(const ModulePtr& stage, const Tensors& inputs)> call;
  // The model's inputs for a microbatch. A stage after the first gets an activation as input 0 instead.
  std::function<Tensors(int microbatch)> inputs;
  // Called with the last stage's output; backward starts from the returned loss.
  std::function<at::Tensor(int microbatch, const at::Tensor& output)> loss;
  std::function<void(Computation)> before;  // called before each action with its kind
};

class Pipeline {
 public:
  // `stages` maps the global numbers of this rank's stages to their modules. find_fault() must accept the schedule.
  Pipeline(Schedule schedule, std::string axis, std::map<int, ModulePtr> stages);

  int microbatches() const;
  void step(const PipelineStep& step);

 private:
  using Place = std::pair<int, int>;  // a microbatch in a stage
  struct Live {
    at::Tensor input;     // the activation received from the previous stage, as a leaf; undefined on the first stage
    at::Tensor output;    // of the stage; the loss on the last stage
    at::Tensor gradient;  // of the output, received from the next stage; undefined on the last stage
  };
  enum class Direction { down, up };

  void run(const Action& action, const PipelineStep& step);
  void forward(const Action& action, const PipelineStep& step);
  static void go_back(const Live& live);
  void backward(const Action& action);
  void backward_input(const Action& action);
  void backward_weight(const Action& action);
  at::Tensor output_gradient(const Action& action);
  void hand_input_gradient(const Action& action);
  void complete_if_last(const Action& action);

  void hand_on(const at::Tensor& tensor, int stage, int microbatch, Direction direction);
  at::Tensor take(int stage, int microbatch, Direction direction);
  int tag_of(int stage, int microbatch, Direction direction) const;

  int last_stage() const { return static_cast<int>(schedule_.rank_of_stage.size()) - 1; }

  Schedule schedule_;
  std::string axis_;
  std::map<int, ModulePtr> stages_;
  std::map<Place, Live> live_;
  std::map<std::pair<Place, Direction>, at::Tensor> handed_over_;  // activations and gradients for another stage of this rank
  struct Shape {
    std::vector<int64_t> sizes;
    at::ScalarType dtype;
  };
  // Shapes of the tensors that this rank receives. The sender announces each once, before its first tensor.
  std::map<std::pair<Place, Direction>, Shape> shapes_;
  std::map<std::pair<Place, Direction>, bool> shape_sent_;
  std::map<int, int> backwards_left_;  // per stage: microbatches of this step whose backward has not run yet
  std::vector<c10::intrusive_ptr<c10d::Work>> sent_;
};

// Removes from `model` all modules that do not belong to stage `stage` of `stages`, as torchtitan cuts a model by hand. Blocks
// are distributed evenly. The first stage also has the embedding, the last one norm and output. With more stages than blocks,
// the embedding counts as a block, and so do norm and output together. Throws if a stage would be empty.
void keep_stage(const ModulePtr& model, int stage, int stages);

}  // namespace ordercheck::ranks
