// The pytorch engine: the Python package `ordercheck_pytorch` in an interpreter that has torch.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "engine/engine_spec.h"

namespace ordercheck {

// The folder that holds the package: what ORDERCHECK_DRIVER names, else src/drivers/pytorch in a folder above this
// program. An error says what was expected where.
Result<std::filesystem::path> find_pytorch_driver();

// The version of torch in an interpreter, without importing it: "2.11.0+cpu". An error of one line where there is none, or
// where interpreter or torch are too old for the engine.
Result<std::string> installed_torch(const std::string& python);

// `spec` with the driver as its worker, of a published project where `project` names one, in the interpreter `python`, else in
// what ORDERCHECK_PYTHON names. The
// interpreter is asked, without
// importing torch (which takes seconds), for its version and torch's: what is no Python >= 3.10 with torch >= 2.6 is an error
// of one line. The caller's folder is on the module path, behind the driver: models and functions named pkg:name are found
// from there.
Result<EngineSpec> in_interpreter(EngineSpec spec, const std::string& project, const std::string& python);

}  // namespace ordercheck
