// The names of a record's counters: one table for the protocol, the evidence, the rules and the pages. And what stands for
// a counter that an engine has not measured: never 0, which is a measurement.
#pragma once

#include <array>
#include <cstdint>

#include "parity/record.h"

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

// What is worked out of the graphs that were captured and was not observed: 0 where no graph was, or where nobody worked it out. Two runs
// that differ in nothing else showed the same, so that no digest, rule or order goes by it.
inline constexpr std::array kModelled{CounterName{"graph_step_ns", &Counters::graph_step_ns},
                                      CounterName{"graph_exposed_ns", &Counters::graph_exposed_ns},
                                      CounterName{"graph_held_bytes_peak", &Counters::graph_held_bytes_peak},
                                      CounterName{"graph_buckets", &Counters::graph_buckets}};

inline Counters without_modelled(Counters counters) {
  for (const CounterName& modelled : kModelled) counters.*modelled.value = 0;
  return counters;
}

}  // namespace ordercheck
