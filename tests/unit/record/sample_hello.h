// What an engine of three transforms says of itself.
#pragma once

#include "record/messages.h"

namespace ordercheck {

inline Hello sample_hello() {
  return {.engine = "native",
          .versions = {"libtorch 2.11.0"},
          .devices = {"cpu"},
          .transforms = {{"tp"}, {"ac"}, {"fsdp"}, {"optimizer"}},
          .models = {"llama"},
          .faults = {"hang"},
          .max_ranks = 4,
          .content_hash = "0"};
}

}  // namespace ordercheck
