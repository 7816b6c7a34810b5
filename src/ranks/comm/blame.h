// Which module a rank's work is charged to. During forward that is the module whose call is running; in backward no call
// runs, so an autograd function remembers the module of its forward and names it here.
//
// Thread rules: thread bound; scopes nest.
#pragma once

#include <string>

#include "protocol/flight.h"
#include "ranks/module/rank.h"

namespace ordercheck::ranks {

// Charges what this thread does to `module` for the scope's lifetime, in the flight file too. A module that is called
// inside the scope is charged for itself.
class BlameScope {
 public:
  explicit BlameScope(std::string module);
  ~BlameScope();
  BlameScope(const BlameScope&) = delete;

 private:
  friend const std::string& blamed_module(const RankState& rank);
  std::string module_;
  std::string called_from_;  // the module whose call was running when the scope began
  const BlameScope* outer_;
};

// The innermost scope's module, or the one whose call is running where that began later.
const std::string& blamed_module(const RankState& rank);

// Where `rank` is now: step, phase and blamed module. Only from that rank's thread.
FlightSlot place_of(const RankState& rank);

}  // namespace ordercheck::ranks
