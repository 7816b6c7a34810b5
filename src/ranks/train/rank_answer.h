// What a rank of another process hands back, as bytes.
#pragma once

#include <string>

#include "ranks/train/rank_result.h"

namespace ordercheck::ranks {

struct RankAnswer {
  RankResult result;
  double range_used = 0;  // range_used() of that process
};

// CBOR. Tensors come back contiguous, with their dtype, sizes and bits.
std::string encode(const RankAnswer& answer);

// Throws what nlohmann::json throws for bytes that encode() did not write.
RankAnswer decode_rank_answer(const std::string& bytes);

}  // namespace ordercheck::ranks
