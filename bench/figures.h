// One line a run that the watched worker leaves for the program that started it, in the file that kFiguresVariable
// names. A header that both sides include, so that they cannot disagree.
#pragma once

#include <cstdint>
#include <istream>
#include <ostream>

namespace ordercheck::bench {

inline constexpr const char* kFiguresVariable = "ORDERCHECK_BENCH_FIGURES";
// Set: the operator clock is installed.
inline constexpr const char* kClockVariable = "ORDERCHECK_BENCH_CLOCK";
// Beside the figures, written last: "<operator> <kernels> <nanoseconds>" a line.
inline constexpr const char* kOperatorsSuffix = ".operators";

struct Figures {
  std::int64_t process_ns = 0;  // CPU of the whole worker since its start, at the beginning of the run or at its end
  std::int64_t main_ns = 0;     // of that, the main thread: protocol, records, hashes
  std::int64_t kernels_ns = 0;  // of this run; see operator_clock.h
  std::int64_t calls_ns = 0;
  std::int64_t kernels = 0;
};

inline std::ostream& operator<<(std::ostream& out, const Figures& f) {
  return out << f.process_ns << ' ' << f.main_ns << ' ' << f.kernels_ns << ' ' << f.calls_ns << ' ' << f.kernels << '\n';
}

inline std::istream& operator>>(std::istream& in, Figures& f) {
  return in >> f.process_ns >> f.main_ns >> f.kernels_ns >> f.calls_ns >> f.kernels;
}

}  // namespace ordercheck::bench
