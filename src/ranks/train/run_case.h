// Runs a case on rank threads and puts its record together.
#pragma once

#include <functional>

#include "parity/record.h"
#include "protocol/flight.h"
#include "protocol/messages.h"

namespace ordercheck::ranks {

inline constexpr int kMaxRanks = 8;

// What the worker says that it is: "native", and "unchecked" with checks left out.
std::string engine_name();

// Never throws: whatever goes wrong is in the record. `run.flight_file` is the caller's matter; `flight` may be null.
// `on_step` is called before each step, from a rank's thread.
Record run_case(const Run& run, FlightRecorder* flight, const std::function<void(int step)>& on_step);

}  // namespace ordercheck::ranks
