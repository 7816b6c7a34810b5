// Provides the layers of the models, built on LibTorch's operators.
#pragma once

#include <cstdint>
#include <string>

#include <ATen/core/Tensor.h>

#include "native/module/module.h"

namespace ordercheck::ranks {

// A container without forward, like nn.ModuleDict.
class ModuleDict final : public ModuleOf<ModuleDict> {
 public:
  ModuleDict() : ModuleOf("ModuleDict") {}
  bool is_container() const override { return true; }

 protected:
  at::Tensor forward(const Tensors&) override;  // throws, as nn.ModuleDict does
};

// Maps [..., in] to [..., out] without bias. Parameter: weight [out, in].
class Linear final : public ModuleOf<Linear> {
 public:
  explicit Linear(at::Tensor weight);

 protected:
  at::Tensor forward(const Tensors& inputs) override;
};

// Maps ids [batch, sequence] to [batch, sequence, dim]. Parameter: weight [vocab, dim].
class Embedding final : public ModuleOf<Embedding> {
 public:
  explicit Embedding(at::Tensor weight);

 protected:
  at::Tensor forward(const Tensors& inputs) override;
};

// Computes x / sqrt(mean(x^2) + eps) * weight over the last dim. Parameter: weight [dim].
class RMSNorm final : public ModuleOf<RMSNorm> {
 public:
  RMSNorm(at::Tensor weight, double epsilon);

 protected:
  at::Tensor forward(const Tensors& inputs) override;

 private:
  double epsilon_;
};

// Returns an initial tensor: a pure function of (seed, parameter name, element), equal for every sharding and engine. No value
// is zero, so that no parameter hides a missing gradient.
//
// Element i is center + scale * (2 * unit(draw(seed, key(name), i)) - 1), with the generator of stack/counter_random.h.

at::Tensor initial_value(std::uint64_t seed, const std::string& name, at::IntArrayRef shape, double center, double scale,
                         at::ScalarType dtype);

// Returns the initial values of the parameter `name`. Matrices, also batched ones, are uniform with variance 1/columns; vectors
// are around 1.
at::Tensor initial_parameter(std::uint64_t seed, const std::string& name, at::IntArrayRef shape, at::ScalarType dtype);

// Dropout that zeroes an element by a hash of (seed, sample, position, feature), so that every sharding drops the same ones.
// Inputs: x [samples, sequence, features], and positions [at least sequence], the index of each row of x in the full sequence.
// Output: x with each element 0 with probability p, else divided by 1 - p. Each call draws one seed per sample from the
// RandomState stream named by the module's path.
class Dropout final : public ModuleOf<Dropout> {
 public:
  explicit Dropout(double p) : ModuleOf("Dropout"), p_(p) {}

 protected:
  at::Tensor forward(const Tensors& inputs) override;

 private:
  double p_;
};

}  // namespace ordercheck::ranks
