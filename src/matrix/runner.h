// What runs cases: the matrix asks through this, so that its orchestration can be tested without any engine.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/result.h"
#include "parity/record.h"
#include "protocol/messages.h"

namespace ordercheck {

// `attempt` above 0 asks for another real run of the same case: what remembers records must not answer it with those of
// an earlier one.
struct Request {
  Run run;
  int attempt = 0;
};

class Runner {
 public:
  virtual ~Runner() = default;

  // What the engine is and can build.
  virtual const Hello& hello() const = 0;

  // Called with the index of the request and its record, in the order in which they end, on the calling thread.
  using Deliver = std::function<void(std::size_t index, const Record& record)>;

  // Runs every request to its end, whatever the end is: a crash or a hang is a record too. An error means that it could
  // not go on at all; what was delivered until then counts.
  virtual Status run(const std::vector<Request>& requests, const Deliver& deliver) = 0;
};

}  // namespace ordercheck
