// The script that shows a case on stock PyTorch, without ordercheck.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine_spec.h"
#include "report/html/repro_scripts.h"
#include "stack/case.h"

namespace ordercheck::cli {

// short_where_there_is_one  plain calls of PyTorch on a small model, where they can show the case
// full                      the model, kernels and steps of the engine
enum class ScriptForm { short_where_there_is_one, full };

// The driver in that interpreter writes it: it knows how it builds the case. All of it, or an error.
Result<std::string> repro_script(const Case& c, const EngineSpec& engine,
                                 ScriptForm form = ScriptForm::short_where_there_is_one);

// The same of many, in one call of the driver. A case that the driver declines has its reason in place of a script.
Result<ReproScripts> repro_scripts(const std::vector<CaseToReproduce>& cases, const EngineSpec& engine);

}  // namespace ordercheck::cli
