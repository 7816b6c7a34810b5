// What runs cases: a trial asks through this, so that its orchestration can be tested without any engine.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/result.h"
#include "parity/record.h"
#include "protocol/messages.h"

namespace ordercheck {

class Runner {
 public:
  virtual ~Runner() = default;

  // What the engine is and can build.
  virtual const Hello& hello() const = 0;

  // Called with the index of the run and its record, in the order in which they end, on the calling thread.
  using Deliver = std::function<void(std::size_t index, const Record& record)>;

  // Does every run to its end, whatever the end is: a crash or a hang is a record too. A case that stands twice, in one call or
  // in several, is really run twice. An error means that it could not go on at all; what was delivered until then counts.
  virtual Status run(const std::vector<Run>& runs, const Deliver& deliver) = 0;
};

}  // namespace ordercheck
