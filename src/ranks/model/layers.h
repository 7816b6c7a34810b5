// The layers that models are made of, with LibTorch's operators.
#pragma once

#include <cstdint>
#include <string>

#include <ATen/core/Tensor.h>

#include "ranks/module/module.h"

namespace ordercheck::ranks {

// A container without a forward of its own, as nn.ModuleDict.
class ModuleDict final : public ModuleOf<ModuleDict> {
 public:
  ModuleDict() : ModuleOf("ModuleDict") {}
  bool is_container() const override { return true; }

 protected:
  at::Tensor forward(const Tensors&) override;  // throws: a container is not called
};

// [..., in] to [..., out], no bias. Parameter: weight [out, in].
class Linear final : public ModuleOf<Linear> {
 public:
  explicit Linear(at::Tensor weight);

 protected:
  at::Tensor forward(const Tensors& inputs) override;
};

// ids [batch, sequence] to [batch, sequence, dim]. Parameter: weight [vocab, dim].
class Embedding final : public ModuleOf<Embedding> {
 public:
  explicit Embedding(at::Tensor weight);

 protected:
  at::Tensor forward(const Tensors& inputs) override;
};

// x / sqrt(mean(x^2) + eps) * weight over the last dim. Parameter: weight [dim].
class RMSNorm final : public ModuleOf<RMSNorm> {
 public:
  RMSNorm(at::Tensor weight, double epsilon);

 protected:
  at::Tensor forward(const Tensors& inputs) override;

 private:
  double epsilon_;
};

// Initial values: a pure function of (seed, parameter name, element), the same for every layout and every engine. No value
// is zero, so that no parameter hides a missing gradient.
//
// Element i is center + scale * (2 * unit(draw(seed, key(name), i)) - 1), with the generator of stack/counter_random.h.

at::Tensor initial_value(std::uint64_t seed, const std::string& name, at::IntArrayRef shape, double center, double scale,
                         at::ScalarType dtype);

// Of a parameter, or of a rank's piece of one: matrices, and each of several in one tensor, uniform with the variance 1/columns,
// vectors around 1.
at::Tensor initial_parameter(std::uint64_t seed, const std::string& name, at::IntArrayRef shape, at::ScalarType dtype);

// Dropout of activations, keyed by (seed, sample, position, feature): what is dropped does not depend on which rank holds what.

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
