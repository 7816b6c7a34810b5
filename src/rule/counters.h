// The counters that an expectation may name, and that an observation carries: those of a record (parity/record.h), and
// collectives as "<kind>" over all groups, "<kind>@<axis>" of one, or with ":bytes" behind either.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "parity/observation.h"

namespace ordercheck {

using CounterValues = std::map<std::string, std::int64_t>;

// Refuses an unknown counter, with a suggestion.
Status check_counter_name(std::string_view name);

// All counters by name, those that are zero or not measured too; collectives that did not happen are absent.
CounterValues counter_values(const Counters& counters, const std::vector<CollectiveCount>& collectives);
CounterValues counter_values(const Observation& seen);

// Of one counter: 0 where a collective did not happen, kNotMeasured (parity/counters.h) where the engine did not measure it.
std::int64_t value_in(const CounterValues& values, const std::string& name);

// Whether what a page says about counters was decided by two runs. The first counter, by name, in which both were measured
// and are not the same is `apart`; the first that only one of them has measured is `unmeasured`; "" for none. What an engine
// measures in neither is no part of what it can say.
struct CountersHeld {
  std::string apart;
  std::string unmeasured;
};
CountersHeld hold_counters(const CounterValues& one, const CounterValues& other);

// "saved_bytes_peak is not measured by pytorch": why a claim on a counter stays open.
std::string not_measured_by(const std::string& engine, const std::string& counter);

}  // namespace ordercheck
