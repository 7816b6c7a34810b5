// llama: a decoder with RMSNorm, rotary positions, grouped-query attention and SwiGLU; torchtitan's names. Single-device
// code: it knows of no mesh. It computes with the sizes of the tensors it is given (heads from the projections' width,
// positions from the activations' length, as torchtitan's does), so that a part of it can run on a piece.
//
//   tok_embeddings, layers.{i}.{attention_norm, attention.{wq, wk, wv, inner_attention, wo}, ffn_norm,
//   feed_forward.{w1, w2, w3}}, norm, output; with dropout, layers.{i}.{attention_dropout, ffn_dropout} too
//
// Root inputs: tokens [batch, sequence] int64, positions [sequence] int64. Output: logits [batch, sequence, vocab].
#pragma once

#include <cstdint>
#include <string>

#include "ranks/module/module.h"
#include "stack/model_sizes.h"

namespace ordercheck::ranks {

struct ModelOptions {
  at::ScalarType dtype = at::kDouble;
  at::Device device = at::kCPU;
  std::uint64_t seed = 1;
  double dropout = 0;          // of what a block's two branches add to the stream; 0 for no such module
  bool tied = false;           // output.weight is tok_embeddings.weight: one parameter in two slots
  std::string frozen;          // the one parameter that is not trained; "" for none
  double capacity_factor = 0;  // of experts (moe.h); 0: they take every token
  int first_block_calls = 1;   // in a forward, one behind the other
};

ModulePtr make_llama(const ModelSizes& sizes, const ModelOptions& options);

// The same with a mixture of experts (moe.h) in every block: layers.{i}.moe for layers.{i}.feed_forward.
ModulePtr make_moe(const ModelSizes& sizes, const ExpertSizes& experts, const ModelOptions& options);

}  // namespace ordercheck::ranks
