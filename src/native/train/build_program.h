// Builds what a rank trains: the model of the case, with every item of the stack applied in its order.
#pragma once

#include "native/train/rank_program.h"
#include "native/transform/pipeline.h"

namespace ordercheck::ranks {

// Losses are multiplied by it before backward, so that gradients stay above the grid of exact arithmetic. Optimizer and record
// divide gradients by it. A power of two, so that neither rounds.
inline constexpr double kLossScale = 256;

inline constexpr const char* kPipelineAxis = "pp";

// Builds the model on this rank and applies the stack's transforms in order, then the default optimizer if the stack has none.
// Throws what a transform throws.
TrainingProgram build_program(const RankProgram& program, RankState& rank);

// Makes the pipeline of a program that `pp` was applied to. `accumulation`: number of microbatches if the plan sets none.
Pipeline make_pipeline(const TrainingProgram& program, int accumulation);

// Returns the parameters of all model parts (pipeline stages) that this rank has.
std::vector<NamedParameter> parameters_of(const TrainingProgram& program);

}  // namespace ordercheck::ranks
