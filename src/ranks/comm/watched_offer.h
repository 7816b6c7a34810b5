// What every backend of ours tells of a call: its counts, its faults, and where its rank waits.
#pragma once

#include <vector>

#include <torch/csrc/distributed/c10d/Types.hpp>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include "protocol/flight.h"
#include "ranks/comm/rendezvous.h"
#include "ranks/module/rank.h"

namespace ordercheck::ranks {

// Throws for a reduction that is neither sum nor max.
Reduction reduction_of(const c10d::ReduceOp& reduce);

// Counts the call. False when a fault makes the rank skip it; its outputs are zeroes then, and skipped() is its work. Another fault
// lengthens what it hands in.
bool begin_call(Offer& offer, const Channel& channel, const std::string& group, RankState& state);
c10::intrusive_ptr<c10d::Work> skipped_call();

// Where a rank is that waits for call `number` of its group, or of the channel of a message.
FlightSlot place_of_wait(const RankState& state, Operation operation, const std::string& group, std::int64_t number,
                         const std::string& shape);

// "float64 [4, 24, 48]": what was handed in, which of a receiver is the room for what comes.
std::string shape_of(const Offer& offer);

}  // namespace ordercheck::ranks
