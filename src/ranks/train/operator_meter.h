// Counts operators as they run: those that a recomputation runs, the FLOPs of matmuls, and which of these are of what was
// handed to compile. A dispatch mode that changes nothing of what it sees.
#pragma once

#include "ranks/graph/dispatch_mode.h"
#include "ranks/module/rank.h"

namespace ordercheck::ranks {

class OperatorMeter final : public DispatchMode {
 public:
  explicit OperatorMeter(RankState& rank) : rank_(rank) {}
  void call(const c10::OperatorHandle& op, torch::jit::Stack& stack) override;
  bool is_instrument() const override { return true; }

 private:
  RankState& rank_;
};

}  // namespace ordercheck::ranks
