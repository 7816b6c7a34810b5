// Converts accelerate's settings for FSDP and torch.compile to items of a stack. Readers of projects that pass such settings
// on to accelerate use it too.
#pragma once

#include <string>

#include "import/reading.h"

namespace ordercheck {

// The names of the FSDP settings in the file, since projects spell them differently.
struct AccelerateFsdp {
  std::string version, strategy, reshard, wrap;
  bool checkpoints = false;  // by accelerate itself, which does not preserve RNG state
  std::string checkpointing;
};

// Adds the items for data parallelism (fsdp, hsdp or ddp) and activation checkpointing to `reading`. `others` is the number of
// ranks in tp times cp. Returns the name of the fixed order: "accelerate" for FSDP2, "accelerate-wrappers" for FSDP1.
std::string add_accelerate_fsdp(Reading& reading, const AccelerateFsdp& keys, const std::string& cast, long long others);

// Adds the item compile to `reading`. `regional`: compiles each block on its own.
void add_accelerate_compile(Reading& reading, const Setting& backend, bool of_fsdp2, bool regional, bool fullgraph);

}  // namespace ordercheck
