// Provides SGD and AdamW with clipping by total norm, for the transform `optimizer` and the training loop. It binds the
// parameters it is constructed with.
//
// In-backward mode follows torchtitan's OptimizersInBackwardContainer: each parameter's hook updates it when its gradient is
// complete, then drops the gradient. Stepping and clearing after backward then do nothing.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "native/module/module.h"
#include "stack/mesh.h"

namespace ordercheck::ranks {

struct OptimizerOptions {
  bool adamw = true;  // else SGD
  double learning_rate = 1e-2;
  double beta1 = 0.9;
  double beta2 = 0.95;
  double epsilon = 1e-8;
  double weight_decay = 0.1;  // AdamW only
  double clip = 0;            // maximum total norm; 0: no clipping
};

class Optimizer {
 public:
  Optimizer(OptimizerOptions options, Mesh mesh, std::vector<ParameterPtr> parameters);

  // Updates each parameter within backward from now on.
  static void step_in_backward(const std::shared_ptr<Optimizer>& optimizer);

  // The training loop multiplies each loss by it before backward; the optimizer divides gradients by it. A power of two, so
  // that neither rounds.
  double loss_scale = 1;

  // Returns the total gradient norm over all parameters of the optimizer, each element of the full gradient counted once for
  // any placement. Sums the squares of local pieces over the axes that shard a parameter, and over pipeline stages: all ranks
  // along these axes must call it. Skips parameters without a gradient. `gradient_of` returns a parameter's gradient; if it is
  // not given, the leaf's .grad is used.
  using GradientOf = std::function<at::Tensor(const Parameter&)>;
  double gradient_norm(const GradientOf& gradient_of = {}) const;

  // Scales gradients as clip_grad_norm_ does, with `norm` as their total norm, then updates the parameters. Skips a parameter
  // without a gradient.
  void step(double norm);
  void clear_gradients();

  bool clips() const { return options_.clip > 0; }

 private:
  struct State {
    at::Tensor first_moment;
    at::Tensor second_moment;
    at::Tensor steps;  // number of updates so far: one element, float32
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
