// A parameter: a leaf tensor that knows its full shape and where its pieces lie.
//
// A module's slot holds a Parameter; a transform may put another one there (as PyTorch re-registers an nn.Parameter), so
// whoever bound the old one keeps the old one. Owned by one rank; not thread safe.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>

#include "ranks/module/placement.h"
#include "ranks/module/storage_meter.h"

namespace ordercheck::ranks {

struct Parameter {
  at::Tensor tensor;  // the leaf: this rank's piece; its gradient is the piece's gradient
  std::vector<int64_t> full_shape;
  Placements placements;  // in the order applied; empty: the tensor is the full one

  // What stands between the leaf and its use in forward, in order. Differentiable; runs at every use.
  std::vector<std::function<at::Tensor(const at::Tensor&)>> on_use;

  bool grouped = false;  // a group of parameters has charge of it, which keeps it in shards or sums its gradient

  std::shared_ptr<HeldStorage> held;  // counts the leaf's storage with its rank for as long as somebody holds it

  at::Tensor used() const;  // the leaf through on_use
};
using ParameterPtr = std::shared_ptr<Parameter>;

// A parameter around `piece`, which becomes a leaf that requires grad, or one that is frozen.
ParameterPtr make_parameter(at::Tensor piece, std::vector<int64_t> full_shape, Placements placements,
                            bool requires_grad = true);

// A new parameter that holds this rank's piece of the full one that it is given: nothing is sent, where distribute_tensor
// scatters the first rank's. Like distribute_tensor, it refuses a parameter that is
// placed already: what a second placement would mean is for the one who placed it first to say. The refusal is an
// exception naming both axes. What is frozen stays so.
ParameterPtr distribute(const Parameter& parameter, const Placements& placements, const Mesh& mesh, int rank);

// A new parameter that holds a whole one on every rank of `axis`, placed there as replicated: the same refusal.
ParameterPtr replicate(const Parameter& parameter, const std::string& axis);

// One with a leaf of its own, otherwise alike. Hooks on the leaf stay with the first.
ParameterPtr copy_of(const Parameter& parameter);

}  // namespace ordercheck::ranks
