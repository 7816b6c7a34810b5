// The data of a step: a pure function of (seed, step, sample, position), identical in every engine. Sample s of step t
// holds a token and a label per position; some positions are not valid (their loss is not counted), unevenly over samples,
// and the number of valid ones is no power of two.
#pragma once

#include <cstdint>

#include "stack/counter_random.h"
#include "stack/model_sizes.h"

namespace ordercheck {

// Stream 0 are tokens, 1 validity. The label of a position is the token of the next one.
inline std::int64_t token_at(std::uint64_t seed, int step, int sample, int position) {
  return static_cast<std::int64_t>(draw(seed, 0, step, sample, position) % kUsualModel.vocab);
}

inline std::int64_t label_at(std::uint64_t seed, int step, int sample, int position) {
  return token_at(seed, step, sample, position + 1);
}

// A sample keeps from a third to all of its positions, from the front, but for one in eight drawn out.
inline bool valid_at(std::uint64_t seed, int step, int sample, int position) {
  const int length = kStep.sequence_length;
  const int kept = length / 3 + static_cast<int>(draw(seed, 1, step, sample) % (length - length / 3 + 1));
  return position < kept && draw(seed, 2, step, sample, position) % 8 != 0;
}

inline int valid_tokens(std::uint64_t seed, int step) {
  int count = 0;
  for (int sample = 0; sample < kStep.sequences; ++sample) {
    for (int position = 0; position < kStep.sequence_length; ++position) count += valid_at(seed, step, sample, position);
  }
  return count;
}

}  // namespace ordercheck
