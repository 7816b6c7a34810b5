#include "native/arith/range.h"

#include <atomic>
#include <cmath>

#include <fmt/format.h>

namespace ordercheck::ranks {
namespace {

std::atomic<double> used{0};
std::atomic<int> outer_fan_in{1};
std::atomic<PastRange> past_range{PastRange::stop};
thread_local bool unmeasured = false;
thread_local int counted_twice = 1;

}  // namespace

void reset_range(int fan_in, PastRange past) {
  used = 0;
  outer_fan_in = fan_in;
  past_range = past;
}

void leave_range(const std::string& message) {
  if (past_range == PastRange::stop && !unmeasured) throw OutOfRange(message);
}

void note_sum(double sum_bound, int bits, const char* what) {
  if (unmeasured) return;
  const double bound = sum_bound * outer_fan_in / counted_twice;
  const double share = bound / std::ldexp(1.0, 53 - bits);
  if (!(share < 1)) {  // also if share is NaN
    leave_range(fmt::format("exact arithmetic left its range in {}: the sum of |terms| may reach {:.3g}, allowed {:.3g}", what,
                            bound, std::ldexp(1.0, 53 - bits)));
  }
  note_range_used(share);
}

void note_range_used(double share) {
  // An atomic maximum: std::atomic<double> has no fetch_max.
  double seen = used.load();
  while (share > seen && !used.compare_exchange_weak(seen, share)) {
  }
}

Unmeasured::Unmeasured() : before_(unmeasured) { unmeasured = true; }
Unmeasured::~Unmeasured() { unmeasured = before_; }

FewerPartialResults::FewerPartialResults(int times) : before_(counted_twice) { counted_twice = times; }
FewerPartialResults::~FewerPartialResults() { counted_twice = before_; }

bool is_measured() { return !unmeasured; }

double range_used() { return used; }

}  // namespace ordercheck::ranks
