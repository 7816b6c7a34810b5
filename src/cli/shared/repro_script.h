// Generates the script that demonstrates a case on stock PyTorch, without ordercheck.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "matrix/engine_spec.h"
#include "report/html/html.h"
#include "stack/case.h"

namespace ordercheck::cli {

// Generates plain PyTorch calls on a small model. The driver in that interpreter writes them, since it knows how it builds the
// case. Returns an error that names whatever such a script cannot express.
Result<std::string> repro_script(const Case& c, const EngineSpec& engine);

// Generates many scripts in one call of the driver. A case that the driver declines has a reason instead of a script.
Result<ReproScripts> repro_scripts(const std::vector<Case>& cases, const EngineSpec& engine);

}  // namespace ordercheck::cli
