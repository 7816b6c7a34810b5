// Provides the parameter: the rank's leaf tensor, with the full parameter's shape and how the leaf is sharded.
//
// A transform may replace the Parameter in a module's slot, as PyTorch re-registers an nn.Parameter. Code that bound the old
// one, such as an optimizer, keeps the old one, which the module no longer uses. Owned by one rank; not thread safe.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>

#include "native/module/placement.h"
#include "native/module/storage_meter.h"

namespace ordercheck::ranks {

struct Parameter {
  at::Tensor tensor;                // the leaf: this rank's piece; its .grad is the gradient of the piece
  std::vector<int64_t> full_shape;  // shape of the parameter on a single device
  Placements placements;  // how the leaf is sharded, in the order in which axes were applied; empty if it is the full parameter

  // Applied to the leaf, in order, each time forward reads the parameter. Differentiable: for example an all-gather.
  std::vector<std::function<at::Tensor(const at::Tensor&)>> on_use;

  bool grouped = false;  // a parameter group of FSDP2 shards it or reduces its gradient, so no later group takes it

  std::shared_ptr<HeldStorage> held;  // while alive, the rank's memory counters include the leaf's storage

  at::Tensor used() const;  // the leaf after all on_use steps
};
using ParameterPtr = std::shared_ptr<Parameter>;

// Makes a parameter whose leaf is `piece`.
ParameterPtr make_parameter(at::Tensor piece, std::vector<int64_t> full_shape, Placements placements,
                            bool requires_grad = true);

// Returns a new parameter with this rank's piece of `parameter`, like distribute_tensor. Nothing is sent, because every rank
// has the full values, while distribute_tensor scatters those of the first rank. A parameter that is already placed throws; the
// exception names both axes. A frozen parameter stays frozen.
ParameterPtr distribute(const Parameter& parameter, const Placements& placements, const Mesh& mesh, int rank);

// Returns a new parameter with the same full values on every rank of `axis` and a replicate placement there. Throws as
// distribute() does.
ParameterPtr replicate(const Parameter& parameter, const std::string& axis);

// Returns a copy with a new leaf. Hooks on the leaf stay with the original.
ParameterPtr copy_of(const Parameter& parameter);

}  // namespace ordercheck::ranks
