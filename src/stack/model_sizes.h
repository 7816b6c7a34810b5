// Defines sizes of the models and of a training step. Frozen: evidence, costs and every engine depend on them.
//
// - 3 and the powers of two up to 8 divide heads, hidden sizes, vocabulary and sequence length
// - most sizes are not powers of two
// - each of 4 data-parallel ranks gets at least two sequences
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

// What the model `moe` adds: in every block, experts replace the feed-forward network.
struct ExpertSizes {
  int experts = 8;
  int chosen = 2;   // experts per token
  int hidden = 24;  // per expert
  int shared_hidden = 48;
};

struct StepSizes {
  int sequence_length = 24;
  int sequences = 16;  // per step, over all ranks and microbatches
};

inline constexpr ModelSizes kUsualModel{};
inline constexpr ExpertSizes kUsualExperts{};
inline constexpr StepSizes kStep{};

// The built-in model whose forward calls a block twice. matrix/models.toml gives it the flag reused_blocks.
inline constexpr const char* kModelThatCallsABlockTwice = "llama_shared";

}  // namespace ordercheck
