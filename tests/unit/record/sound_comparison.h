// A comparison that nothing is wrong with, for tests of what is made of one.
#pragma once

#include "record/verdict_of_runs.h"
#include "stack/notation.h"
#include "unit/record/sample_record.h"

namespace ordercheck {

// Everything a sharded run owes, and what it is held against.
inline Comparison sound() {
  Record first = sample_record(2);
  first.counters.matmul_flops = 480;
  first.collectives = {{.kind = "all_gather", .group = "dp_shard", .phase = Phase::forward, .count = 6},
                       {.kind = "reduce_scatter", .group = "dp_shard", .phase = Phase::backward, .count = 3}};
  return {.subject = {.stack = *parse_stack("fsdp=2")},
          .first = first,
          .again = first,
          .reference = sample_record(1),
          .recommended = std::nullopt,
          .twins = {sample_record(1)}};
}

inline void corrupt(std::optional<Record>& record) { record->parameters[1].gradient[0].words[0] ^= 1; }

}  // namespace ordercheck
