// Provides causal self-attention with rotary positions and grouped key/value heads.
#pragma once

#include "native/module/module.h"

namespace ordercheck::ranks {

struct AttentionOptions {
  int head_dim = 2;
  double rope_theta = 10000.0;
};

// Computes softmax(q k^T / sqrt(head_dim)) v under a causal mask. Output: [batch, heads, queries, head_dim]. Inputs:
// - q [batch, heads, queries, head_dim]
// - k and v [batch, kv_heads, keys, head_dim]
// - optionally an attention mask, bool [queries, keys] that replaces the causal one; true means visible
class InnerAttention final : public ModuleOf<InnerAttention> {
 public:
  explicit InnerAttention(AttentionOptions options) : ModuleOf("InnerAttention"), options_(std::move(options)) {
    sequence_dim = 2;
  }

 protected:
  at::Tensor forward(const Tensors& inputs) override;

 private:
  AttentionOptions options_;
};

// Inputs: x [batch, sequence, dim], positions [at least sequence]. Children: wq, wk, wv, inner_attention, wo.
class Attention final : public ModuleOf<Attention> {
 public:
  explicit Attention(AttentionOptions options) : ModuleOf("Attention"), options_(std::move(options)) {}

 protected:
  at::Tensor forward(const Tensors& inputs) override;

 private:
  AttentionOptions options_;
};

}  // namespace ordercheck::ranks
