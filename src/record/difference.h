// Finds the first bitwise difference between the records of two runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/noise_floor.h"
#include "record/record.h"

namespace ordercheck {

// The first number or tensor in which two runs differ. Search order: per step the loss, gradients in model order, gradient
// norm; then parameters and buffers after the last step.
struct Difference {
  std::string what;  // "loss", "gradient of layers.0.attention.wq.weight", "parameter ...", "buffer ...", "gradient norm"
  int step = 0;
  int rank = -1;         // -1 for a tensor, which is gathered from all ranks
  std::string expected;  // hex of a number's bits or a tensor's hash; decimals in float32 arithmetic
  std::string got;
  friend bool operator==(const Difference&, const Difference&) = default;
};

// Compares loss and gradient norm of every step and rank, every gradient and every parameter bitwise; nullopt if all agree.
// With equal numbers of ranks, compares rank by rank, else each rank of `got` to rank 0 of `expected`. Both records must have
// completed.
std::optional<Difference> first_difference(const Record& expected, const Record& got);

// Converts a float32 value that is far above its noise floor to a Difference, in decimals.
Difference difference_of(const Held& held);

// How many full gradients and final parameters differ: "21 of 21 gradients, 21 of 21 parameters".
std::string extent_of_difference(const Record& expected, const Record& got);

// The first tensor, in execution order, that differs between two runs.

struct Divergence {
  int step = 0;
  Phase phase = Phase::forward;
  std::string module;
  std::uint64_t ulp = 0;       // the largest distance between two elements, in ULP
  std::int64_t elements = 0;   // elements of the tensor
  std::int64_t differing = 0;  // elements that differ
  double owed_largest = 0;     // largest magnitude in the reference, then in the run
  double got_largest = 0;
  double apart = 0;  // the largest |got - reference| of an element
  // The tensor's shape in the reference and in the run. Set only if they differ; then the numbers above are 0.
  std::vector<std::int64_t> owed_shape, got_shape;
  friend bool operator==(const Divergence&, const Divergence&) = default;
};

// "layers.0 of step 1, backward: max |grad| 0 against 7.3, 2 of 9 numbers differ by up to 7.3 (3 ULP)".
std::string in_words(const Divergence& divergence);

// "max |grad| 0 against 7.3": the largest magnitude in the run, then in the reference.
std::string magnitudes_of(const Divergence& divergence);

}  // namespace ordercheck
