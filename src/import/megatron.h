// Reads Megatron-LM's arguments from a bash script, or from MODEL_ARGS of a model_config.yaml: d98e8a64d (2026-08-22),
// megatron/training/arguments.py, core/model_parallel_config.py, core/transformer/transformer_config.py.
#pragma once

#include "import/imported.h"
#include "import/shell_settings.h"

namespace ordercheck {

Imported megatron_stack(ShellSettings settings);

// Converts MODEL_ARGS of a model_config.yaml to the form of command-line arguments.
ShellSettings megatron_arguments(SettingList settings);

}  // namespace ordercheck
