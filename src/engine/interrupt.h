// Ctrl-C as a flag: while one of these lives, SIGINT and SIGTERM set it in place of ending the process, so that workers
// are ended and what is done is kept. A second signal ends the process at once; its workers go with it.
#pragma once

#include <atomic>
#include <csignal>

namespace ordercheck {

class InterruptFlag {
 public:
  InterruptFlag();   // asserts that it is the only one
  ~InterruptFlag();  // the handlers of before are back
  InterruptFlag(const InterruptFlag&) = delete;

  const std::atomic<bool>* get() const;

 private:
  struct sigaction before_int_;
  struct sigaction before_term_;
};

}  // namespace ordercheck
