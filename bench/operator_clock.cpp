#include "operator_clock.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string_view>
#include <unordered_map>

#include <ATen/record_function.h>
#include <c10/core/impl/TorchDispatchModeTLS.h>

#include "clocks.h"

namespace ordercheck::bench {
namespace {

std::atomic<std::int64_t> kernels_ns, calls_ns, kernels, nested;
std::int64_t reading_ns = 0;
std::int64_t nested_ns = 0;

// One open interval a thread and kind: only the outermost call of a kind counts.
struct Interval {
  int depth = 0;
  std::int64_t began = 0;

  void enter() {
    if (depth++ == 0) began = thread_cpu_ns();
  }
  // The time that passed when this was the outermost, else 0.
  std::int64_t leave() { return --depth == 0 ? std::max<std::int64_t>(0, thread_cpu_ns() - began - reading_ns) : 0; }
};

struct ThreadClock;
std::mutex operators_mutex;
std::map<std::string, OperatorTime> operators;  // of threads that ended
std::set<const ThreadClock*> clocks;            // of those that live: rank threads wait for another case

struct ThreadClock {
  Interval call, kernel;
  std::uint64_t were_kernels = 0;  // a bit a call that is open, the innermost last: whether it counted as a kernel
  std::unordered_map<const char*, OperatorTime> own;  // by the address of a name, which lives as long as its operator

  ThreadClock() {
    const std::lock_guard lock(operators_mutex);
    clocks.insert(this);
  }
  ThreadClock(const ThreadClock&) = delete;
  ThreadClock& operator=(const ThreadClock&) = delete;
  ~ThreadClock() {
    const std::lock_guard lock(operators_mutex);
    clocks.erase(this);
    add_to(operators);
  }
  void add_to(std::map<std::string, OperatorTime>& all) const {
    for (const auto& [name, time] : own) {
      all[name].calls += time.calls;
      all[name].ns += time.ns;
    }
  }
};

ThreadClock& this_thread() {
  thread_local ThreadClock clock;
  return clock;
}

std::unique_ptr<at::ObserverContext> start(const at::RecordFunction&) {
  ThreadClock& clock = this_thread();
  // Outside the step's counting scope there is no mode from the start; autograd records nothing there.
  const bool below_modes = clock.kernel.depth > 0 || c10::impl::TorchDispatchModeTLS::stack_len() == 0;
  clock.were_kernels = clock.were_kernels << 1 | (below_modes ? 1 : 0);
  clock.call.enter();
  if (below_modes) clock.kernel.enter();
  return nullptr;
}

void end(const at::RecordFunction& call, at::ObserverContext*) {
  ThreadClock& clock = this_thread();
  if ((clock.were_kernels & 1) != 0) {
    const std::int64_t time = clock.kernel.leave();
    if (clock.kernel.depth == 0) {
      OperatorTime& own = clock.own[call.name()];
      ++own.calls;
      own.ns += time;
      kernels_ns += time;
      ++kernels;
    } else {
      ++nested;
    }
  }
  clock.were_kernels >>= 1;
  calls_ns += clock.call.leave();
}

// What watching a call within a kernel adds to the kernel: no clock is read there.
std::int64_t cost_of_nested_call() {
  constexpr int kCalls = 20'000;
  ++this_thread().call.depth;
  ++this_thread().kernel.depth;
  const std::int64_t began = thread_cpu_ns();
  for (int i = 0; i < kCalls; ++i) {
    at::RecordFunction call(at::RecordScope::FUNCTION);
    if (call.isActive()) call.before("ordercheck::nested");
  }
  const std::int64_t time = thread_cpu_ns() - began;
  --this_thread().call.depth;
  --this_thread().kernel.depth;
  return time / kCalls;
}

}  // namespace

void install_operator_clock() {
  constexpr int kReadings = 20'000;
  const std::int64_t began = thread_cpu_ns();
  for (int i = 0; i < kReadings; ++i) thread_cpu_ns();
  reading_ns = (thread_cpu_ns() - began) / kReadings;
  at::addGlobalCallback(at::RecordFunctionCallback(start, end).scopes({at::RecordScope::FUNCTION}));
  nested_ns = cost_of_nested_call();
  take_operator_times();
}

OperatorTimes take_operator_times() {
  OperatorTimes times{.kernels_ns = kernels_ns.exchange(0), .calls_ns = calls_ns.exchange(0), .kernels = kernels.exchange(0)};
  const std::int64_t watching_nested = nested_ns * nested.exchange(0);
  times.kernels_ns -= watching_nested;
  times.calls_ns -= watching_nested + (nested_ns + 2 * reading_ns) * times.kernels;  // each lies within a call
  return times;
}

std::vector<OperatorTime> operator_times() {
  const std::lock_guard lock(operators_mutex);
  auto all = operators;
  for (const ThreadClock* clock : clocks) clock->add_to(all);
  std::vector<OperatorTime> times;
  for (auto [name, time] : all) {
    time.name = name;
    times.push_back(time);
  }
  return times;
}

}  // namespace ordercheck::bench
