// Serializes a rank's result, so that a rank process can send it to its parent.
#pragma once

#include <string>

#include "native/train/rank_result.h"

namespace ordercheck::ranks {

struct RankAnswer {
  RankResult result;
  double range_used = 0;  // range_used() in that process
};

// Encodes as CBOR. The tensors that decode_rank_answer() returns are contiguous, with equal dtype, sizes and bits.
std::string encode(const RankAnswer& answer);

// Throws nlohmann::json's exceptions for bytes that encode() did not write.
RankAnswer decode_rank_answer(const std::string& bytes);

}  // namespace ordercheck::ranks
