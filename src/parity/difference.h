// The first thing in which two records differ, bit for bit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "parity/noise_floor.h"
#include "parity/record.h"

namespace ordercheck {

// The first thing in which two records differ. Step by step, within a step: loss, gradients in the order of the model,
// gradient norm; then the parameters and the buffers after the last step.
struct Difference {
  std::string what;  // "loss", "gradient of layers.0.attention.wq.weight", "parameter ...", "buffer ...", "gradient norm"
  int step = 0;
  int rank = -1;         // where it is of one rank
  std::string expected;  // hex of bits or hash; in float32 arithmetic decimals
  std::string got;
  friend bool operator==(const Difference&, const Difference&) = default;
};

// Bit for bit: loss and gradient norm of every step and every rank, every gradient, every parameter. Nothing when they
// agree. With equally many ranks each is held against its like; otherwise each rank of `got` against rank 0 of
// `expected`. Both records must have completed.
std::optional<Difference> first_difference(const Record& expected, const Record& got);

// What is far beyond its noise floor, as a difference: decimals instead of bits.
Difference difference_of(const Held& held);

// How many of the full gradients and final parameters differ, for messages: "21 of 21 gradients, 21 of 21 parameters".
std::string extent_of_difference(const Record& expected, const Record& got);

// The first tensor, in execution order, that two runs do not share.

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
