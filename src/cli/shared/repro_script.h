// The script that shows a case on stock PyTorch, without ordercheck.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine_spec.h"
#include "report/html/html.h"
#include "stack/case.h"

namespace ordercheck::cli {

// Plain calls of PyTorch on a small model. The driver in that interpreter writes it: it knows how it builds the case. All of it, or an
// error, which says what of the case no such script has.
Result<std::string> repro_script(const Case& c, const EngineSpec& engine);

// The same of many, in one call of the driver. A case that the driver declines has its reason in place of a script.
Result<ReproScripts> repro_scripts(const std::vector<Case>& cases, const EngineSpec& engine);

}  // namespace ordercheck::cli
