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

}  // namespace ordercheck
