// Generates the data of a step as a pure function of (seed, step, sample, position), identical in every engine. Each position
// of a sample has a token and a label. Some positions are invalid (not counted in the loss), unevenly over samples; the number
// of valid ones is not a power of two.
#pragma once

#include <cstdint>

#include "stack/counter_random.h"
#include "stack/model_sizes.h"

namespace ordercheck {

// Stream 0 draws tokens, streams 1 and 2 validity. A position's label is the next position's token.
inline std::int64_t token_at(std::uint64_t seed, int step, int sample, int position) {
  return static_cast<std::int64_t>(draw(seed, 0, step, sample, position) % kUsualModel.vocab);
}

inline std::int64_t label_at(std::uint64_t seed, int step, int sample, int position) {
  return token_at(seed, step, sample, position + 1);
}

// Keeps a random prefix of at least a third of the sample, then drops each position with probability 1/8.
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
