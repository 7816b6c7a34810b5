// Provides a mixture of experts in place of a feed-forward network, after torchtitan's MoE (deepseek_v3). Single-device code. A
// router picks experts for each token, tokens are sorted by expert, experts compute their rows, and scores weigh the results.
//
//   router.gate, experts.{w1, w2, w3}, shared_experts.{w1, w2, w3}
//
// Experts are chosen by score plus bias. The bias is no parameter: the training loop changes it after backward and before the
// optimizer step, so that experts with few tokens get more (auxiliary-loss-free balancing, DeepSeek-V3).
//
// With a capacity, an expert computes at most that many of a call's tokens. For the other tokens it adds nothing to the output.
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "native/module/module.h"

namespace ordercheck::ranks {

// Input: x [..., dim]. Output: scores [..., experts], an independent sigmoid each. Child: gate.
class Router final : public ModuleOf<Router> {
 public:
  explicit Router(ModulePtr gate) : ModuleOf("Router") { set_child("gate", std::move(gate)); }

 protected:
  at::Tensor forward(const Tensors& inputs) override;
};

// Inputs: rows [rows, dim] sorted by expert, and the number of rows of each local expert, int64 [experts], possibly 0. Output:
// rows [rows, dim]. Parameters: w1, w3 [experts, hidden, dim], w2 [experts, dim, hidden].
class GroupedExperts final : public ModuleOf<GroupedExperts> {
 public:
  GroupedExperts(at::Tensor w1, at::Tensor w2, at::Tensor w3);

 protected:
  at::Tensor forward(const Tensors& inputs) override;
};

// Input: x [batch, sequence, dim]. Output: the same shape. Children: router, experts, shared_experts.
class MoE final : public ModuleOf<MoE> {
 public:
  MoE(ModulePtr router, ModulePtr experts, ModulePtr shared_experts, int chosen);
  MoE(const MoE& other);

  at::Tensor bias;               // [experts] float64; added to scores when choosing experts, not to their weights
  at::Tensor tokens_per_expert;  // [experts] int64: tokens since the bias last changed; a recomputed forward counts again
  double capacity_factor = 0;    // sets the capacity by expert_capacity(); 0: no limit

 protected:
  at::Tensor forward(const Tensors& inputs) override;

 private:
  int chosen_;  // number of experts per token
};

// The capacity limit follows Megatron-LM's get_capacity and apply_router_token_dropping with policy probs.
//
// Both functions see only the tokens of one call. If ranks or microbatches split a step's tokens, the dropped tokens depend on
// the split.

// Returns ceil(factor * copies / experts), where `copies` is tokens times experts per token.
int64_t expert_capacity(double factor, int64_t copies, int64_t experts);

// Drops the tokens over capacity. `order` lists token copies (one per token and chosen expert), sorted by expert. Each expert
// keeps `capacity` copies: those of highest probability, the earlier one on ties. Returns the kept copies in the order of
// `order`. `chosen` (the expert, int64) and `probabilities` have one element per copy.
at::Tensor taken_by_experts(const at::Tensor& order, const at::Tensor& chosen, const at::Tensor& probabilities,
                            int64_t capacity);

// Multiplies groups of rows by one matrix each, as one operator like torch._grouped_mm. The operator reads the group sizes
// itself, so that a captured graph works for any counts.

// rows [rows, in] sorted by group, matrices [groups, out, in], counts int64 [groups], possibly 0. Output [rows, out]: each row
// times its group's transposed matrix. Differentiable in rows and matrices.
at::Tensor grouped_products(const at::Tensor& rows, const at::Tensor& matrices, const at::Tensor& counts);

}  // namespace ordercheck::ranks
