// The first tensor, in execution order, that two runs do not share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "parity/record.h"

namespace ordercheck {

struct Divergence {
  int step = 0;
  Phase phase = Phase::forward;
  std::string module;
  std::uint64_t ulp = 0;       // the largest distance of one element
  std::int64_t elements = 0;   // of the tensor
  std::int64_t differing = 0;  // of its elements
  double owed_largest = 0;     // by magnitude, of either side
  double got_largest = 0;
  double apart = 0;  // the largest distance of one element
  // Only where the two are not even of one shape, and then all above are 0.
  std::vector<std::int64_t> owed_shape, got_shape;
  friend bool operator==(const Divergence&, const Divergence&) = default;
};

// "layers.0 of step 1, backward: max |grad| 0 against 7.3, 2 of 9 numbers differ by up to 7.3 (3 ULP)".
std::string in_words(const Divergence& divergence);

// "max |grad| 0 against 7.3": what was got, then what is owed.
std::string magnitudes_of(const Divergence& divergence);

}  // namespace ordercheck
