// The buffers of a graph's plan, while a part of it runs.
#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "ranks/graph/graph.h"

namespace ordercheck::ranks {

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
