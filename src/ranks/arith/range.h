// The range guard of exact arithmetic: sums stay exact only while what they add stays below a bound; past it nothing may
// be concluded, so the case ends as out of range, never silently inexact.
//
// Thread rules: one guard a process, as a worker runs one case at a time; note() may be called from any rank thread.
#pragma once

#include <cmath>
#include <stdexcept>
#include <string>

namespace ordercheck::ranks {

class OutOfRange : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Whether a run stops where it leaves its range, or goes on, as one does whose tensors are kept to find the first that
// differs: up to there its sums are exact.
enum class PastRange { stop, go_on };

// Forgets what was noted. `fan_in` bounds how many partial results of one contraction or sum are added up outside it:
// ranks times microbatches.
void reset_range(int fan_in, PastRange past = PastRange::stop);

// Throws OutOfRange, unless the run goes on or nothing is measured.
void leave_range(const std::string& message);

// `sum_bound` bounds the sum of |terms| of one contraction or sum whose terms are multiples of 2^-bits. Leaves the
// range naming `what` when fan_in * sum_bound reaches 2^(53 - bits), past which a partial sum may need more than 53 bits.
void note_sum(double sum_bound, int bits, const char* what);

// For the largest of several bounds: what is not a number is larger than any, and stays so whatever comes after it.
inline void keep_largest(double value, double& largest) {
  if (!(value <= largest) && !std::isnan(largest)) largest = value;
}

// For its lifetime, nothing that this thread computes is noted or refused: of a dry run, whose values mean nothing.
class Unmeasured {
 public:
  Unmeasured();
  ~Unmeasured();
  Unmeasured(const Unmeasured&) = delete;

 private:
  bool before_;
};
bool is_measured();

// For its lifetime, what this thread sums is added up outside `times` times less often than fan_in says: a loss that comes out
// the same on all ranks of an axis, or the total of all microbatches.
class FewerPartialResults {
 public:
  explicit FewerPartialResults(int times);
  ~FewerPartialResults();
  FewerPartialResults(const FewerPartialResults&) = delete;

 private:
  int before_;
};

// The largest share of the allowed range that was noted since the last reset; below 1.
double range_used();

// What another process used, as if this one had.
void note_range_used(double share);

}  // namespace ordercheck::ranks
