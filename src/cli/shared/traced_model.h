// Gets the forward and backward graph of a model in a user's sizes from the driver of an engine in an interpreter.
#pragma once

#include <string>

#include "base/result.h"
#include "graph/planner/traced_model.h"
#include "matrix/engine_spec.h"
#include "rules/job.h"

namespace ordercheck::cli {

struct ModelQuestion {
  std::string model;  // "llama", or pkg:factory of a user
  Sizes sizes;        // of the step, and of a built-in model
};

// The sizes of a built-in model, or an error that names what is missing. `has_config`: sizes come from a config, so none is
// filled in but head_dim, which is dim / heads as in transformers.
Result<Sizes> sizes_to_trace(const std::string& model, Sizes given, bool has_config);

// An error is one line: of the driver, or of an answer that is no graph.
Result<placing::TracedModel> traced_model(const ModelQuestion& question, const EngineSpec& engine);

}  // namespace ordercheck::cli
