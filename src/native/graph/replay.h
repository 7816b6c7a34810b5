// Runs a captured graph as one opaque differentiable operator: autograd sees a single node, and outer dispatch modes see none
// of its operators. Instruments (DispatchMode::is_instrument) still count them.
#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "native/graph/graph.h"

namespace ordercheck::ranks {

// Returns the graph's output for `inputs`, which must have the recorded sizes, strides and dtypes. The parameter leaves are
// inputs of the autograd node too, so that their gradients accumulate and their hooks fire as in an eager run.
at::Tensor replay(const GraphPtr& graph, const std::vector<at::Tensor>& inputs);

// Memory for the buffers that the pass `reuse` planned, for one run of forward or backward.

class PlannedMemory {
 public:
  // `plan` must outlive it.
  explicit PlannedMemory(const captured::BufferPlan& plan) : plan_(plan), memories_(plan.bytes.size()) {}

  // Copies the result `made` of value `id` to its planned buffer, over the old content, and returns the buffer. Returns `made`
  // itself if the plan has no buffer for it (it was made by a later pass) or if it is not dense.
  at::Tensor placed(ValueId id, const at::Tensor& made);

 private:
  const captured::BufferPlan& plan_;
  std::vector<at::Tensor> memories_;  // by buffer; allocated when its first value is placed
};

}  // namespace ordercheck::ranks
