// Runs one rank of a case: builds the model, applies the stack's transforms in exactly its order, and trains the steps.
#pragma once

#include <functional>
#include <string>

#include "native/module/rank.h"
#include "native/train/rank_result.h"
#include "native/transform/transform.h"
#include "record/messages.h"
#include "stack/case.h"

namespace ordercheck::ranks {

struct RankProgram {
  Case subject;
  at::ScalarType dtype = at::kDouble;     // dtype of parameters and activations
  bool trace = false;                     // record every module's output and its gradient
  bool graphs = false;                    // record every captured graph in its final form
  bool passes = false;                    // record every captured graph before and after each graph pass
  std::function<void(int step)> on_step;  // called on rank 0 before each step; may be empty
  // Returns the transform of a stack item's name; tests can add their own.
  std::function<const Transform*(const std::string& name)> find_transform = find_transform_of_engine;
};

// Runs on the calling thread as `rank`. Exceptions propagate; RankState::thrown() tells in which phase and module they
// occurred.
RankResult run_rank_program(const RankProgram& program, RankState& rank);

}  // namespace ordercheck::ranks
