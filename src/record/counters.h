// Names the counters of a run's record (flops, saved bytes, graph captures, ...), in one table for protocol, evidence, rules
// and pages. kNotMeasured marks a counter that the engine did not measure; 0 is a measurement.
#pragma once

#include <array>
#include <cstdint>

#include "record/record.h"

namespace ordercheck {

inline constexpr std::int64_t kNotMeasured = -1;
constexpr bool is_measured(std::int64_t counter) { return counter != kNotMeasured; }

struct CounterName {
  const char* name;
  std::int64_t Counters::* value;
};

inline constexpr std::array kCounters{CounterName{"operators_recomputed", &Counters::operators_recomputed},
                                      CounterName{"operators_kept", &Counters::operators_kept},
                                      CounterName{"matmul_flops", &Counters::matmul_flops},
                                      CounterName{"matmul_flops_recomputed", &Counters::matmul_flops_recomputed},
                                      CounterName{"saved_bytes_peak", &Counters::saved_bytes_peak},
                                      CounterName{"parameter_bytes_peak", &Counters::parameter_bytes_peak},
                                      CounterName{"graph_captures", &Counters::graph_captures},
                                      CounterName{"graph_breaks", &Counters::graph_breaks},
                                      CounterName{"products_in_scope", &Counters::products_in_scope},
                                      CounterName{"products_in_graphs", &Counters::products_in_graphs},
                                      CounterName{"p2p_messages", &Counters::p2p_messages}};

// Counters that a cost model computes from captured graphs instead of measuring them; 0 if no graph was captured or costed.
// Digests, rules and order comparisons ignore them.
inline constexpr std::array kModelled{CounterName{"graph_step_ns", &Counters::graph_step_ns},
                                      CounterName{"graph_exposed_ns", &Counters::graph_exposed_ns},
                                      CounterName{"graph_held_bytes_peak", &Counters::graph_held_bytes_peak},
                                      CounterName{"graph_buckets", &Counters::graph_buckets}};

inline Counters without_modelled(Counters counters) {
  for (const CounterName& modelled : kModelled) counters.*modelled.value = 0;
  return counters;
}

}  // namespace ordercheck
