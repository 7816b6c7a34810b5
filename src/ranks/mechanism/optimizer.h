// SGD or AdamW with clipping by total norm: what the transform `optimizer` makes and the training loop steps. It is bound to
// the parameters that it is made with.
#pragma once

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

  // Total norm over all bound parameters, each element of the full gradient counted once however it is placed: squares of
  // pieces are summed over the axes that shard a parameter, and over the stages of a pipeline. Parameters without a gradient are left
  // out. `gradient_scale` divides every gradient; a power of two. Collective over the axes.
  double gradient_norm(double gradient_scale) const;

  // Clips by that norm, then updates. A parameter without a gradient is left as it is.
  void step(double gradient_scale, double norm);
  void clear_gradients();

  bool count_replicas = false;  // mutant norm_replicas

 private:
  struct State {
    at::Tensor first_moment;
    at::Tensor second_moment;
    at::Tensor steps;  // one number, float32
  };
  void update_sgd(const std::vector<std::size_t>& indices, const std::vector<at::Tensor>& gradients);
  void update_adamw(const std::vector<std::size_t>& indices, const std::vector<at::Tensor>& gradients);

  OptimizerOptions options_;
  Mesh mesh_;
  std::vector<ParameterPtr> parameters_;
  std::vector<State> states_;
};

}  // namespace ordercheck::ranks
