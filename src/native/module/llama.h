// Builds llama: a decoder with RMSNorm, rotary positions, grouped-query attention and SwiGLU, with torchtitan's names.
//
// It is single-device code without a mesh. Like torchtitan's, it takes all sizes from its tensors (the number of heads from the
// width of wq's output, positions from the activations' length). So it also runs on a rank's shard of parameters or sequence.
//
//   tok_embeddings, layers.{i}.{attention_norm, attention.{wq, wk, wv, inner_attention, wo}, ffn_norm,
//   feed_forward.{w1, w2, w3}}, norm, output; with dropout also layers.{i}.{attention_dropout, ffn_dropout}
//
// Root inputs: tokens [batch, sequence] int64, positions [sequence] int64. Output: logits [batch, sequence, vocab].
#pragma once

#include <cstdint>
#include <string>

#include "native/module/module.h"
#include "stack/model_sizes.h"

namespace ordercheck::ranks {

struct ModelOptions {
  at::ScalarType dtype = at::kDouble;
  at::Device device = at::kCPU;
  std::uint64_t seed = 1;
  double dropout = 0;          // probability for both residual branches of a block; 0: no dropout modules
  bool tied = false;           // output.weight is tok_embeddings.weight: one parameter in two slots
  std::string frozen;          // name of the parameter that is not trained; empty if all are
  double capacity_factor = 0;  // limits the tokens per expert (moe.h); 0: no limit
  int first_block_calls = 1;   // how often forward runs the first block, each time on its own output
};

ModulePtr make_llama(const ModelSizes& sizes, const ModelOptions& options);

// The same, with a mixture of experts (moe.h) in every block: layers.{i}.moe replaces layers.{i}.feed_forward.
ModulePtr make_moe(const ModelSizes& sizes, const ExpertSizes& experts, const ModelOptions& options);

}  // namespace ordercheck::ranks
