// Guards the range of exact arithmetic: sums are exact only while they stay below a bound. Past it the run ends as
// out_of_range, so that no inexact result is used.
//
// Thread rules: one guard per process, because a worker runs one case at a time. Any rank thread may call note_sum().
#pragma once

#include <cmath>
#include <stdexcept>
#include <string>

namespace ordercheck::ranks {

class OutOfRange : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Whether a sum past the bound throws. A run that keeps tensors to find the first difference goes on: its sums are exact up to
// there.
enum class PastRange { stop, go_on };

// Resets range_used(), before a run. `fan_in` bounds how many partial results of one contraction or sum are added outside the
// operator that made them, by collectives and accumulation: ranks times microbatches.
void reset_range(int fan_in, PastRange past = PastRange::stop);

// Throws OutOfRange, unless PastRange::go_on is set or an Unmeasured lives on this thread.
void leave_range(const std::string& message);

// Checks one contraction or sum of multiples of 2^-bits, for which `sum_bound` bounds the sum of |terms|. Calls leave_range(),
// naming the operator `what`, if fan_in * sum_bound reaches 2^(53 - bits): a partial sum may then need more than 53 bits.
void note_sum(double sum_bound, int bits, const char* what);

// Sets `largest` to the larger of the two. NaN counts as largest and is never replaced.
inline void keep_largest(double value, double& largest) {
  if (!(value <= largest) && !std::isnan(largest)) largest = value;
}

// During its lifetime, sums of this thread are not checked: a dry run computes arbitrary values.
class Unmeasured {
 public:
  Unmeasured();
  ~Unmeasured();
  Unmeasured(const Unmeasured&) = delete;

 private:
  bool before_;
};
bool is_measured();

// During its lifetime, note_sum() on this thread divides fan_in by `times`. Use it for a sum of which fewer partial results are
// added: a loss that is equal on all ranks of an axis, or the total of all microbatches.
class FewerPartialResults {
 public:
  explicit FewerPartialResults(int times);
  ~FewerPartialResults();
  FewerPartialResults(const FewerPartialResults&) = delete;

 private:
  int before_;
};

// Returns the largest share of the allowed bound that any sum used since reset_range(); below 1 unless the run went on.
double range_used();

// Includes the share that a rank's process used, as range_used() returned it there.
void note_range_used(double share);

}  // namespace ordercheck::ranks
