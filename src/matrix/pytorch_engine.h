// Locates and describes the pytorch engine: the Python package `ordercheck_pytorch` in an interpreter with torch.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "matrix/engine_spec.h"

namespace ordercheck {

// The folder that contains the package: ORDERCHECK_DRIVER if set, else src/drivers/pytorch in a folder above this program. An
// error says what was expected where.
Result<std::filesystem::path> find_pytorch_driver();

// The version of torch in an interpreter, without importing it: "2.11.0+cpu". Returns a one-line error if the interpreter or
// torch is missing or too old for the engine.
Result<std::string> installed_torch(const std::string& python);

// Returns `spec` with the Python driver as its worker.
// - project: the published project whose driver runs; "" for plain PyTorch.
// - python: the interpreter; "" uses ORDERCHECK_PYTHON.
// The interpreter is queried for its version and torch's without importing torch, which takes seconds. Anything but Python >=
// 3.10 with torch >= 2.6 is a one-line error. The current folder is on the module path after the driver, so that pkg:name finds
// the user's models and functions.
Result<EngineSpec> in_interpreter(EngineSpec spec, const std::string& project, const std::string& python);

}  // namespace ordercheck
