// Runs a captured graph as one opaque differentiable operator: autograd outside sees a single node, dispatch modes outside
// see nothing of its inside. Instruments (DispatchMode::is_instrument) still count what runs.
#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "ranks/graph/graph.h"

namespace ordercheck::ranks {

// `inputs` must have the sizes, strides and dtypes of those that were recorded. The parameters' leaves take part as
// inputs of the operator, so that their gradients arrive, and their hooks fire, as in an eager run.
at::Tensor replay(const GraphPtr& graph, const std::vector<at::Tensor>& inputs);

// The buffers of a graph's plan, while a part of it runs.

class PlannedMemory {
 public:
  // The plan must outlive it.
  explicit PlannedMemory(const captured::BufferPlan& plan) : plan_(plan), memories_(plan.bytes.size()) {}

  // What a node made, where the plan has it: copied there over what was there before. Itself where the plan has no place for it, as for
  // values of passes behind the plan, and where its elements do not fill its memory.
  at::Tensor placed(ValueId id, const at::Tensor& made);

 private:
  const captured::BufferPlan& plan_;
  std::vector<at::Tensor> memories_;  // by buffer, from its first value on
};

}  // namespace ordercheck::ranks
