#include "operator_clock.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <string_view>

#include <ATen/record_function.h>
#include <c10/core/impl/TorchDispatchModeTLS.h>

#include "clocks.h"

namespace ordercheck::bench {
namespace {

std::atomic<std::int64_t> kernels_ns, guards_ns, calls_ns, kernels;
std::int64_t reading_ns = 0;

// One open interval a thread and kind: only the outermost call of a kind counts.
struct Interval {
  int depth = 0;
  std::int64_t began = 0;

  void enter() {
    if (depth++ == 0) began = thread_cpu_ns();
  }
  // The time that passed when this was the outermost, else 0.
  std::int64_t leave() {
    return --depth == 0 ? std::max<std::int64_t>(0, thread_cpu_ns() - began - reading_ns) : 0;
  }
};

struct ThreadClock {
  Interval call, kernel;
};

ThreadClock& this_thread() {
  thread_local ThreadClock clock;
  return clock;
}

// What start decided, so that end undoes exactly that.
struct Watched : at::ObserverContext {
  explicit Watched(bool is_kernel) : is_kernel(is_kernel) {}
  bool is_kernel;
};

bool is_guard(const at::RecordFunction& call) {
  return std::string_view(call.name()).starts_with("ordercheck::guard_");
}

std::unique_ptr<at::ObserverContext> start(const at::RecordFunction&) {
  ThreadClock& clock = this_thread();
  // Outside the step's counting scope there is no mode from the start; autograd records nothing there.
  const bool below_modes = clock.kernel.depth > 0 || c10::impl::TorchDispatchModeTLS::stack_len() == 0;
  auto watched = std::make_unique<Watched>(below_modes);
  clock.call.enter();
  if (below_modes) clock.kernel.enter();
  return watched;
}

void end(const at::RecordFunction& call, at::ObserverContext* context) {
  ThreadClock& clock = this_thread();
  if (static_cast<Watched*>(context)->is_kernel) {
    const std::int64_t time = clock.kernel.leave();
    if (clock.kernel.depth == 0) {
      kernels_ns += time;
      ++kernels;
      if (is_guard(call)) guards_ns += time;
    }
  }
  calls_ns += clock.call.leave();
}

}  // namespace

void install_operator_clock() {
  constexpr int kReadings = 20'000;
  const std::int64_t began = thread_cpu_ns();
  for (int i = 0; i < kReadings; ++i) thread_cpu_ns();
  reading_ns = (thread_cpu_ns() - began) / kReadings;
  at::addGlobalCallback(at::RecordFunctionCallback(start, end).scopes({at::RecordScope::FUNCTION}));
}

OperatorTimes take_operator_times() {
  const OperatorTimes times{.kernels_ns = kernels_ns.exchange(0),
                            .guards_ns = guards_ns.exchange(0),
                            .calls_ns = calls_ns.exchange(0),
                            .kernels = kernels.exchange(0)};
  OperatorTimes without_readings = times;
  without_readings.calls_ns -= 2 * reading_ns * times.kernels;  // every kernel lies within a call
  return without_readings;
}

}  // namespace ordercheck::bench
