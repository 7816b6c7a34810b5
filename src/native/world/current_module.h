// Tracks the module that a rank's collectives and failures are reported for. In forward it is the module whose call runs. In
// backward no module call runs, so an autograd function saves the module of its forward and names it with a BlameScope.
//
// Thread rules: thread bound; scopes nest.
#pragma once

#include <string>

#include "native/module/rank.h"
#include "record/flight.h"

namespace ordercheck::ranks {

// During its lifetime, collectives and failures of this thread are reported for `module`, in the flight recorder file too.
// Modules called inside the scope are reported as themselves.
class BlameScope {
 public:
  explicit BlameScope(std::string module);
  ~BlameScope();
  BlameScope(const BlameScope&) = delete;

 private:
  friend const std::string& blamed_module(const RankState& rank);
  std::string module_;
  std::string called_from_;  // the innermost running module call when the scope began
  const BlameScope* outer_;
};

// Returns the module to report: that of the innermost BlameScope, or of a module call that started inside it.
const std::string& blamed_module(const RankState& rank);

// Returns the rank's step, phase and blamed module. Call only from that rank's thread.
FlightSlot place_of(const RankState& rank);

}  // namespace ordercheck::ranks
