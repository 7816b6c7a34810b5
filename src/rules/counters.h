// Defines the counter names that rule pages and reports use: the counters of a record (record/record.h) and collectives.
// "all_gather" counts those of all process groups, "all_gather@tp" those of one; a suffix ":bytes" counts bytes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/observation.h"

namespace ordercheck {

using CounterValues = std::map<std::string, std::int64_t>;

// An error with a suggestion if the counter is unknown.
Status check_counter_name(std::string_view name);

// All counters of a run by name, including zero and unmeasured ones, and the collectives that the run had.
CounterValues counter_values(const Counters& counters, const std::vector<CollectiveCount>& collectives);
CounterValues counter_values(const Observation& seen);

// The counter `name`: 0 for a collective that the run did not have, kNotMeasured (record/counters.h) if the engine did not
// measure it.
std::int64_t value_in(const CounterValues& values, const std::string& name);

// Compares the counters of two runs. `apart` is the first name whose values differ, `unmeasured` the first that only one run
// measured; "" if none. Counters that neither run measured are ignored.
struct CountersHeld {
  std::string apart;
  std::string unmeasured;
};
CountersHeld hold_counters(const CounterValues& one, const CounterValues& other);

// "saved_bytes_peak is not measured by pytorch": why a claim about a counter is undecided.
std::string not_measured_by(const std::string& engine, const std::string& counter);

}  // namespace ordercheck
