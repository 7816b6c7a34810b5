// The steps of a pipeline: a schedule's actions, one after another, over this rank's stages. Activations go to the rank of the next
// stage and gradients to that of the one before; a send waits for nobody until the step ends.
//
// As torch.distributed.pipelining's stages: what a stage receives is a leaf of its own, backward of a microbatch starts from the
// gradient that the next stage sends, and what reduces gradients once a step does it behind the last one. A backward that is
// split runs the stage's backward twice, first for the inputs alone.
//
// One rank thread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <torch/csrc/distributed/c10d/Work.hpp>

#include "ranks/module/module.h"
#include "ranks/schedule/schedule.h"

namespace ordercheck::ranks {

// What the training loop gives and takes.
struct PipelineStep {
  std::function<at::Tensor(const ModulePtr& stage, const Tensors& inputs)> call;
  std::function<Tensors(int microbatch)> inputs;                             // of the model; a later stage's first is replaced
  std::function<at::Tensor(int microbatch, const at::Tensor& output)> loss;  // on the last stage: what is differentiated
  std::function<void(Computation)> before;                                   // each action
};

class Pipeline {
 public:
  // `stages` by number: this rank's. The schedule must be one of find_fault()'s without a fault.
  Pipeline(Schedule schedule, std::string axis, std::map<int, ModulePtr> stages);

  int microbatches() const;
  void step(const PipelineStep& step);

 private:
  using Place = std::pair<int, int>;  // stage and microbatch
  struct Live {
    at::Tensor input;   // undefined on the first stage: what it gets needs no gradient
    at::Tensor output;  // on the last stage the loss
    at::Tensor gradient;
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
  std::map<std::pair<Place, Direction>, at::Tensor> handed_over_;  // between stages of this rank
  struct Shape {
    std::vector<int64_t> sizes;
    at::ScalarType dtype;
  };
  std::map<std::pair<Place, Direction>, Shape> shapes_;  // sent ahead in the first step
  std::map<std::pair<Place, Direction>, bool> shape_sent_;
  std::map<int, int> backwards_left_;  // of this step, by stage
  std::vector<c10::intrusive_ptr<c10d::Work>> sent_;
};

// A model cut into the stages of a pipeline by hand, as torchtitan cuts it: a stage is the model without what is not its own.

// Leaves of `model` what stage `stage` of `stages` has. Blocks are dealt out as evenly as can be; the first stage has the
// embedding, the last one norm and output. With more stages than blocks the embedding, and norm with output, are dealt out as
// blocks are. Throws where a stage would be left without any.
void keep_stage(const ModulePtr& model, int stage, int stages);

}  // namespace ordercheck::ranks
