// The sizes of the models that engines build, matrix/models.toml: part of the program.
#pragma once

#include <string>

#include "rule/job.h"
#include "stack/case.h"

namespace ordercheck {

// By name; of a model that the file does not name, the usual one's (frozen_sizes).
Sizes sizes_of_model(const std::string& model);

// What conditions know of a run: the sizes of its model, and the microbatches of a step.
Job job_of(const Case& subject);

// The model that a stack without one is about: one with experts where it distributes them or shards them by themselves, else
// `usual`.
std::string model_of(const Stack& stack, const std::string& usual);

}  // namespace ordercheck
