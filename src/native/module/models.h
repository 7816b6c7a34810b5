// Builds this engine's models by the names that cases use.
#pragma once

#include <string>
#include <vector>

#include "native/module/llama.h"

namespace ordercheck::ranks {

std::vector<std::string> model_names();

// Builds the model with the sizes that all engines use for `name`. Asserts that the name is known.
ModulePtr make_model(const std::string& name, const ModelOptions& options);

}  // namespace ordercheck::ranks
