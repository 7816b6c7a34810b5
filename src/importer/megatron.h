// Arguments of Megatron-LM: d98e8a64d (2026-08-22), megatron/training/arguments.py, core/model_parallel_config.py,
// core/transformer/transformer_config.py. In a bash script or under MODEL_ARGS of a model_config.yaml.
#pragma once

#include "importer/imported.h"
#include "importer/shell_settings.h"

namespace ordercheck {

Imported megatron_stack(ShellSettings settings);

// Of a model_config.yaml: what stands under MODEL_ARGS.
ShellSettings megatron_arguments(SettingList settings);

}  // namespace ordercheck
