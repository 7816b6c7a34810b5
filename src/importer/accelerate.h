// What accelerate makes of FSDP and torch.compile: for its own files, and for those of projects that hand it their settings.
#pragma once

#include <string>

#include "importer/reading.h"

namespace ordercheck {

// The keys, as the file has them.
struct AccelerateFsdp {
  std::string version, strategy, reshard, wrap;
  bool checkpoints = false;  // by accelerate itself, which keeps no random state
  std::string checkpointing;
};

// Adds fsdp or what else the settings ask for, and the checkpointing. `others` is how many ranks tp and cp take. The name of the
// order that holds: "accelerate" of FSDP2, "accelerate-wrappers" of FSDP1.
std::string add_accelerate_fsdp(Reading& reading, const AccelerateFsdp& keys, const std::string& cast, long long others);

// `regional`: each block alone.
void add_accelerate_compile(Reading& reading, const Setting& backend, bool of_fsdp2, bool regional, bool fullgraph);

}  // namespace ordercheck
