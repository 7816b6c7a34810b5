// SGD or AdamW with clipping by total norm: what the transform `optimizer` makes and the training loop steps. It is bound to
// the parameters that it is made with.
//
// Within backward, as torchtitan's OptimizersInBackwardContainer: each parameter has a call of its own where its gradient is
// complete for a backward, which updates that parameter alone and drops the gradient. What the training loop does behind
// backward finds no gradients, and stepping and clearing do nothing.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ranks/module/module.h"
#include "stack/mesh.h"

namespace ordercheck::ranks {

struct OptimizerOptions {
  bool adamw = true;  // else SGD
  double learning_rate = 1e-2;
  double beta1 = 0.9;
  double beta2 = 0.95;
  double epsilon = 1e-8;
  double weight_decay = 0.1;  // AdamW only
  double clip = 0;            // largest total norm; 0: no clipping
};

class Optimizer {
 public:
  Optimizer(OptimizerOptions options, Mesh mesh, std::vector<ParameterPtr> parameters);

  // From now on each of its parameters is updated within backward.
  static void step_in_backward(const std::shared_ptr<Optimizer>& optimizer);

  // What losses are multiplied by before backward; a power of two. Gradients are divided by it.
  double loss_scale = 1;

  // Total norm over all bound parameters, each element of the full gradient counted once however it is placed: squares of
  // pieces are summed over the axes that shard a parameter, and over the stages of a pipeline. Parameters without a gradient are
  // left out. Of the gradients that `gradient_of` says, where it is given. Collective over the axes.
  using GradientOf = std::function<at::Tensor(const Parameter&)>;
  double gradient_norm(const GradientOf& gradient_of = {}) const;

  // Clips by that norm, then updates. A parameter without a gradient is left as it is.
  void step(double norm);
  void clear_gradients();

  bool clips() const { return options_.clip > 0; }

 private:
  struct State {
    at::Tensor first_moment;
    at::Tensor second_moment;
    at::Tensor steps;  // one number, float32
  };
  void update(const std::vector<std::size_t>& indices, const std::vector<at::Tensor>& gradients);
  void update_sgd(const std::vector<std::size_t>& indices, const std::vector<at::Tensor>& gradients);
  void update_adamw(const std::vector<std::size_t>& indices, const std::vector<at::Tensor>& gradients);

  OptimizerOptions options_;
  Mesh mesh_;
  std::vector<ParameterPtr> parameters_;
  std::vector<State> states_;
  bool steps_in_backward_ = false;
};

}  // namespace ordercheck::ranks
