// Dropout of activations, keyed by (seed, sample, position, feature): what is dropped does not depend on which rank holds what.
#pragma once

#include "ranks/module/module.h"

namespace ordercheck::ranks {

// Inputs: x [samples, sequence, features], positions [at least sequence]: each row's place in the whole sequence. Output: of x, each
// element with probability p 0, and else divided by 1 - p. Draws once a call, from the stream of its own path.
class Dropout final : public ModuleOf<Dropout> {
 public:
  explicit Dropout(double p) : ModuleOf("Dropout"), p_(p) {}

 protected:
  at::Tensor forward(const Tensors& inputs) override;

 private:
  double p_;
};

}  // namespace ordercheck::ranks
