// Locates the failure of a run whose worker died or timed out without returning a record, from the flight file's slot of every
// rank. Pure functions.
#pragma once

#include <vector>

#include "record/flight.h"
#include "record/messages.h"
#include "record/record.h"

namespace ordercheck {

// Returns the failing rank, its module and collective, and one line per rank; the message stays empty. Unused and torn slots
// are ignored. The rank is:
//
//   died, garbled   the rank whose thread raised a fatal signal or called exit; else the only rank that is neither finished
//                   nor in a collective; -1 if several ranks are, since any of them may have ended the process
//   timed_out       among the ranks that are neither finished nor in a collective, the one that made progress least recently
//
// If every rank waits in a collective, the rank is -1 and the result names the collective that has waited longest.
Failure place_of_failure(Ending ending, const std::vector<FlightSlot>& slots);

// The record for a run to which the worker sent no record.
Record unfinished(const Run& run, const Hello& hello, Ending ending, Failure failure);

}  // namespace ordercheck
