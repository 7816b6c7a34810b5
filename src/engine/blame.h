// What is known of a run that did not answer: which rank it ended on, read from where every rank was. Pure.
#pragma once

#include <vector>

#include "parity/record.h"
#include "protocol/flight.h"
#include "protocol/messages.h"

namespace ordercheck {

// The place of a failure, with one line a rank; its message is left empty. Of the ranks that wrote something whole:
//
//   died, garbled   the rank whose thread raised a fatal signal or called exit; else the only rank that neither
//                   finished nor waits in a collective; where several are busy, none: any may have ended the process
//   timed_out       of the ranks that neither finished nor wait in a collective, the one that wrote longest ago: it is
//                   the one that the others wait for
//
// Where every rank waits, no rank is named: the collective of the one that waits longest is.
Failure place_of_failure(Ending ending, const std::vector<FlightSlot>& slots);

// The record of a run that a worker of this hello never answered.
Record unfinished(const Run& run, const Hello& hello, Ending ending, Failure failure);

}  // namespace ordercheck
