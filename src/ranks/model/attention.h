// Causal self-attention with rotary positions and grouped key/value heads.
#pragma once

#include "ranks/module/module.h"

namespace ordercheck::ranks {

struct AttentionOptions {
  int head_dim = 2;
  double rope_theta = 10000.0;
  std::string mutant;  // mask_bit, position
};

// softmax(q k^T / sqrt(head_dim)) v under a causal mask. Inputs: q [batch, heads, sequence, head_dim], k and v
// [batch, kv_heads, sequence, head_dim]. Output: [batch, heads, sequence, head_dim].
class InnerAttention final : public Module {
 public:
  explicit InnerAttention(AttentionOptions options) : Module("InnerAttention"), options_(std::move(options)) {}

 protected:
  at::Tensor forward(const Tensors& inputs) override;

 private:
  AttentionOptions options_;
};

// Inputs: x [batch, sequence, dim], positions [at least sequence]. Children wq, wk, wv, inner_attention, wo.
class Attention final : public Module {
 public:
  explicit Attention(AttentionOptions options) : Module("Attention"), options_(std::move(options)) {}

 protected:
  at::Tensor forward(const Tensors& inputs) override;

 private:
  AttentionOptions options_;
};

}  // namespace ordercheck::ranks
