#include "engine/interrupt.h"

#include <cassert>

namespace ordercheck {
namespace {

std::atomic<bool> interrupted{false};
std::atomic<bool> in_use{false};
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace

InterruptFlag::InterruptFlag() {
  [[maybe_unused]] const bool taken = in_use.exchange(true);
  assert(!taken && "one InterruptFlag at a time");
  interrupted = false;
  struct sigaction action{};
  action.sa_handler = [](int) { interrupted = true; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second signal finds the default
  sigaction(SIGINT, &action, &before_int_);
  sigaction(SIGTERM, &action, &before_term_);
}

InterruptFlag::~InterruptFlag() {
  sigaction(SIGINT, &before_int_, nullptr);
  sigaction(SIGTERM, &before_term_, nullptr);
  in_use = false;
}

const std::atomic<bool>* InterruptFlag::get() const { return &interrupted; }

}  // namespace ordercheck
