// What a rank of a launched world tells rank 0 through the store, as texts.
#pragma once

#include <string>

#include "protocol/flight.h"
#include "ranks/comm/launched_ending.h"

namespace ordercheck::ranks {

// "Here I am": the number grows with each, so that who reads it again knows that it is new.
struct LaunchedBeat {
  std::uint64_t number = 0;
  std::uint64_t waiting = 0;
  FlightSlot slot;
};

std::string encode(const LaunchedBeat& beat);
std::string encode(const LaunchedEnd& end);

// Throw what nlohmann::json throws, or std::runtime_error, for texts that encode() did not write.
LaunchedBeat decode_launched_beat(const std::string& text);
LaunchedEnd decode_launched_end(const std::string& text);

}  // namespace ordercheck::ranks
