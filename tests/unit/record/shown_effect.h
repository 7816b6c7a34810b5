// The effect of a stack's first item, as two records show it.
#pragma once

#include <optional>

#include "record/verdict_of_runs.h"
#include "stack/notation.h"
#include "unit/record/sample_record.h"

namespace ordercheck {

inline Case case_of(const char* stack) { return {.stack = *parse_stack(stack)}; }

inline Effect effect(const char* stack, const Record& with, const std::optional<Record>& without) {
  return effect_of(case_of(stack), 0, with, without);
}

inline Record sharded() {
  Record record = sample_record(2);
  record.counters.matmul_flops = 480;
  record.collectives = {{.kind = "all_gather", .group = "dp_shard", .phase = Phase::forward, .count = 6},
                        {.kind = "reduce_scatter", .group = "dp_shard", .phase = Phase::backward, .count = 3}};
  return record;
}

}  // namespace ordercheck
