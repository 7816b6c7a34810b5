// The layers that models are made of. All sums go through arith/, everything else is elementwise.
#pragma once

#include "ranks/arith/arithmetic.h"
#include "ranks/module/module.h"

namespace ordercheck::ranks {

// A container without a forward of its own, as nn.ModuleDict.
class ModuleDict final : public Module {
 public:
  ModuleDict() : Module("ModuleDict") {}
  bool is_container() const override { return true; }

 protected:
  at::Tensor forward(const Tensors&) override;  // throws: a container is not called
};

// [..., in] to [..., out], no bias. Parameter: weight [out, in].
class Linear final : public Module {
 public:
  Linear(const Numerics& numerics, at::Tensor weight);

 protected:
  at::Tensor forward(const Tensors& inputs) override;

 private:
  Numerics numerics_;
};

// ids [batch, sequence] to [batch, sequence, dim]. Parameter: weight [vocab, dim].
class Embedding final : public Module {
 public:
  Embedding(const Numerics& numerics, at::Tensor weight);

 protected:
  at::Tensor forward(const Tensors& inputs) override;

 private:
  Numerics numerics_;
};

// x / sqrt(mean(x^2) + eps) * weight over the last dim. Parameter: weight [dim].
class RMSNorm final : public Module {
 public:
  RMSNorm(const Numerics& numerics, at::Tensor weight, double epsilon);

 protected:
  at::Tensor forward(const Tensors& inputs) override;

 private:
  Numerics numerics_;
  double epsilon_;
};

}  // namespace ordercheck::ranks
