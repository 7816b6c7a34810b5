// What runs a case: the matrix asks through this, so that its orchestration can be tested without any engine.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "parity/record.h"
#include "protocol/messages.h"

namespace ordercheck {

class Runner {
 public:
  virtual ~Runner() = default;

  // What the engine is and can build.
  virtual const Hello& hello() const = 0;

  // Runs one case to its end, whatever the end is: a crash or a hang is a record too. An error means that nothing
  // could be run at all (the engine does not start). `attempt` above 0 asks for another real run of the same case: what
  // remembers records must not answer it with an earlier one. May be called from several threads at once.
  virtual Result<Record> run(const Run& run, int attempt) = 0;
};

}  // namespace ordercheck
