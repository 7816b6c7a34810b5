// The models of this engine, by the names that cases use.
#pragma once

#include <string>
#include <vector>

#include "ranks/model/llama.h"

namespace ordercheck::ranks {

std::vector<std::string> model_names();

// Of the usual sizes. Asserts that the name is known.
ModulePtr make_model(const std::string& name, const ModelOptions& options);

}  // namespace ordercheck::ranks
