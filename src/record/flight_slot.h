// Decodes slots of a mapped flight file.
#pragma once

#include <vector>

#include "record/flight.h"
#include "record/flight_layout.h"

namespace ordercheck {

FlightSlot slot_of(const flight::Slot& from);

// The slots of the newest FlightRecorder that exists in this process, including those that forked ranks wrote. Empty if none
// exists.
std::vector<FlightSlot> live_flight_slots();

}  // namespace ordercheck
