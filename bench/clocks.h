// Clocks of the programs in this folder.
#pragma once

#include <cstdint>
#include <ctime>

namespace ordercheck::bench {

inline std::int64_t read_clock_ns(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// CPU time of the calling thread and of the process.
inline std::int64_t thread_cpu_ns() { return read_clock_ns(CLOCK_THREAD_CPUTIME_ID); }
inline std::int64_t process_cpu_ns() { return read_clock_ns(CLOCK_PROCESS_CPUTIME_ID); }

inline double wall_seconds() { return 1e-9 * static_cast<double>(read_clock_ns(CLOCK_MONOTONIC)); }

}  // namespace ordercheck::bench
