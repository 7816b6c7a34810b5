// From the bytes of slots to what they say, for those who have a flight file mapped.
#pragma once

#include <vector>

#include "protocol/flight.h"
#include "protocol/flight_layout.h"

namespace ordercheck {

FlightSlot slot_of(const flight::Slot& from);

// Of the recorder that this process made last, while it lives: where every rank is, whichever of the processes that share the mapping
// wrote it. None where there is no recorder.
std::vector<FlightSlot> live_flight_slots();

}  // namespace ordercheck
