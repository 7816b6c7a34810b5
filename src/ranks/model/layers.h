// The layers that models are made of, with LibTorch's operators.
#pragma once

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

}  // namespace ordercheck::ranks
