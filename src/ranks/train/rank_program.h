// What each rank runs: build the model, apply the stack in exactly its order, train the steps.
#pragma once

#include <functional>
#include <string>

#include "protocol/messages.h"
#include "ranks/module/rank.h"
#include "ranks/train/rank_result.h"
#include "ranks/transform/transform.h"
#include "stack/case.h"

namespace ordercheck::ranks {

struct RankProgram {
  Case subject;
  at::ScalarType dtype = at::kDouble;  // of parameters and activations
  bool trace = false;
  bool graphs = false;                    // also keep the graphs that are captured
  bool passes = false;                    // and those as they stood before and behind each pass
  std::function<void(int step)> on_step;  // called on rank 0 before each step; may be empty
  // Where an item's transform comes from; a test adds transforms of its own.
  std::function<const Transform*(const std::string& name)> find_transform = find_transform_of_engine;
};

// Runs on the calling thread as `rank`. Throws what goes wrong; where it was, the rank state tells.
RankResult run_rank_program(const RankProgram& program, RankState& rank);

}  // namespace ordercheck::ranks
