// A mixture of experts in place of a feed-forward network, after torchtitan's MoE (deepseek_v3): a router picks experts for each
// token, tokens are sorted by expert, experts work on their rows, and scores weigh what comes back. Single-device code.
//
//   router.gate, experts.{w1, w2, w3}, shared_experts.{w1, w2, w3}
//
// Experts are chosen by score plus bias. The bias is no parameter: a trainer moves it between backward and update, so that experts
// with few tokens get more (auxiliary-loss-free balancing, DeepSeek-V3).
//
// With a capacity, an expert takes so many of the tokens of one call, and the others get nothing from it.
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "ranks/module/module.h"

namespace ordercheck::ranks {

// Inputs: x [..., dim]. Output: scores [..., experts], each sigmoid of its own. Child gate.
class Router final : public ModuleOf<Router> {
 public:
  explicit Router(ModulePtr gate) : ModuleOf("Router") { set_child("gate", std::move(gate)); }

 protected:
  at::Tensor forward(const Tensors& inputs) override;
};

// Inputs: rows [rows, dim] sorted by expert, and how many rows each of this module's experts has, int64 [experts]; an expert may
// have none. Output: rows [rows, dim]. Parameters w1, w3 [experts, hidden, dim], w2 [experts, dim, hidden].
class GroupedExperts final : public ModuleOf<GroupedExperts> {
 public:
  GroupedExperts(at::Tensor w1, at::Tensor w2, at::Tensor w3);

 protected:
  at::Tensor forward(const Tensors& inputs) override;
};

// Inputs: x [batch, sequence, dim]. Output: the same. Children router, experts, shared_experts.
class MoE final : public ModuleOf<MoE> {
 public:
  MoE(ModulePtr router, ModulePtr experts, ModulePtr shared_experts, int chosen);
  MoE(const MoE& other);

  at::Tensor bias;               // [experts] float64: added to scores where experts are chosen, and nowhere else
  at::Tensor tokens_per_expert;  // [experts] int64, taken since the bias was last moved; a recomputation counts again
  double capacity_factor = 0;    // of expert_capacity(); 0: experts take every token

 protected:
  at::Tensor forward(const Tensors& inputs) override;

 private:
  int chosen_;  // experts a token
};

// How many tokens an expert takes, and which, where there is a limit: after Megatron-LM's get_capacity and
// apply_router_token_dropping with the policy probs.
//
// Both look at the tokens of one call alone. That is all that a router sees, also where ranks or microbatches share the tokens of
// a step out: what an expert drops then depends on how they do.

// Of `copies`, tokens times experts a token: ceil(factor * copies / experts).
int64_t expert_capacity(double factor, int64_t copies, int64_t experts);

// Of `order`, copies of tokens sorted by their `chosen` expert, those that it takes: with the highest `probabilities`, and of equal
// ones the first. What is left stays in its order. `chosen` int64 and `probabilities` are by copy.
at::Tensor taken_by_experts(const at::Tensor& order, const at::Tensor& chosen, const at::Tensor& probabilities,
                            int64_t capacity);

// Products of groups of rows with matrices of their own, as one operator, like torch._grouped_mm: how many rows a group has is read
// inside, so that a graph can hold the call whatever the counts are.

// rows [rows, in] sorted by group, matrices [groups, out, in], counts int64 [groups] of rows, which may be 0. Output [rows, out]:
// each row times its group's matrix, transposed. Differentiable in rows and matrices.
at::Tensor grouped_products(const at::Tensor& rows, const at::Tensor& matrices, const at::Tensor& counts);

}  // namespace ordercheck::ranks
