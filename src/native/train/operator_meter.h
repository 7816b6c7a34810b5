// Counts operators as they run, for the record: recomputed ones, FLOPs of matmuls, and how many of them run in compiled code. A
// dispatch mode that passes every operator through unchanged.
#pragma once

#include "native/graph/dispatch_mode.h"
#include "native/module/rank.h"

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
