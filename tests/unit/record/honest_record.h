// Records as a sound engine writes them.
#pragma once

#include <algorithm>

#include "record/record.h"
#include "stack/case.h"
#include "stack/mesh.h"
#include "stack/trainer.h"
#include "unit/record/sample_record.h"

namespace ordercheck {

// What an engine writes for a legal stack: the numbers of one rank, and every transform's effect in the counters.
inline Record honest_record(const Case& c) {
  const Mesh mesh = mesh_of(c.stack);
  const int ranks = world_size(mesh);
  Record record = sample_record(ranks, c.settings.steps);
  record.case_text = print(c);
  record.counters = {.matmul_flops = 9600 / ranks, .saved_bytes_peak = 4000, .parameter_bytes_peak = 8000};
  for (auto& step : record.steps)
    for (auto& loss : step.loss) loss = bits_of(value_of(loss) + static_cast<double>(c.settings.seed));
  for (const Item& item : c.stack.items) {
    if (item.name == "ac") {
      record.counters.operators_recomputed += 100;
      record.counters.saved_bytes_peak -= 3000;
    } else if (item.name == "tp") {
      record.collectives.push_back({.kind = "all_reduce", .group = "tp", .phase = Phase::forward, .count = 4});
      record.collectives.push_back({.kind = "all_reduce", .group = "tp", .phase = Phase::backward, .count = 4});
    } else if (item.name == "fsdp") {
      record.collectives.push_back({.kind = "all_gather", .group = "dp_shard", .phase = Phase::forward, .count = 6});
      record.collectives.push_back({.kind = "reduce_scatter", .group = "dp_shard", .phase = Phase::backward, .count = 3});
    }
  }
  // What is clipped takes another step.
  if (clips(c.stack))
    for (ParameterRecord& parameter : record.parameters) parameter.value.words[1] ^= 1;
  // Without the grid a sum on several ranks rounds otherwise.
  if (c.settings.arithmetic == Arithmetic::plain && ranks > 1)
    for (auto& loss : record.steps[0].loss) loss.bits += static_cast<std::uint64_t>(ranks);
  return record;
}

inline void bend_gradient(Record& record) { record.parameters[1].gradient[0].words[0] ^= 1; }

inline void break_in_apply(Record& record) {
  record = Record{.case_text = record.case_text, .engine = "native", .ending = Ending::failed};
  record.failure = Failure{.phase = Phase::apply, .message = "mixed tensors"};
}

}  // namespace ordercheck
