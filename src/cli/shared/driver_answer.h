// Asks the driver of an engine in an interpreter for something other than runs: a script, the graph of a model.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "matrix/engine_spec.h"

namespace ordercheck::cli {

// Starts the driver with `words`, hands it `input` and returns what it printed. An error is its last line on stderr, or says
// that it exceeded `limit`.
Result<std::string> driver_answer(const EngineSpec& engine, const std::vector<std::string>& words, const std::string& input,
                                  std::chrono::seconds limit);

}  // namespace ordercheck::cli
