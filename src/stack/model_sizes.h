// Sizes of the models and of a training step. Frozen: evidence, costs and every engine depend on them.
//
// Chosen so that every power of two up to 8, and 3, divides heads, hidden sizes, vocabulary and sequence; so that most sizes
// are no powers of two; and so that 4 data-parallel ranks get at least two sequences each.
#pragma once

#include <cstdint>

namespace ordercheck {

struct ModelSizes {
  int layers = 2;
  int dim = 48;
  int heads = 48;     // query heads; heads * head_dim need not be dim
  int kv_heads = 24;  // grouped-query attention: two query heads share a key/value head
  int head_dim = 2;
  int ffn_hidden = 120;
  int vocab = 120;
  double norm_eps = 1e-5;
  double rope_theta = 10000.0;
};

// What `moe` has beside: every block has experts in place of its feed-forward network.
struct ExpertSizes {
  int experts = 8;
  int chosen = 2;   // experts a token
  int hidden = 24;  // of an expert
  int shared_hidden = 48;
};

struct StepSizes {
  int sequence_length = 24;
  int sequences = 16;  // per step over all ranks and microbatches
};

inline constexpr ModelSizes kUsualModel{};
inline constexpr ExpertSizes kUsualExperts{};
inline constexpr StepSizes kStep{};

// matrix/models.toml says so to rules: reused_blocks.
inline constexpr const char* kModelThatCallsABlockTwice = "llama_shared";

}  // namespace ordercheck
