// How many tokens an expert takes, and which, where there is a limit: after Megatron-LM's get_capacity and
// apply_router_token_dropping with the policy probs.
//
// Both look at the tokens of one call alone. That is all that a router sees, also where ranks or microbatches share the tokens of
// a step out: what an expert drops then depends on how they do.
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

// Of `copies`, tokens times experts a token: ceil(factor * copies / experts).
int64_t expert_capacity(double factor, int64_t copies, int64_t experts);

// Of `order`, copies of tokens sorted by their `chosen` expert, those that it takes: with the highest `probabilities`, and of equal
// ones the first. What is left stays in its order. `chosen` int64 and `probabilities` are by copy.
at::Tensor taken_by_experts(const at::Tensor& order, const at::Tensor& chosen, const at::Tensor& probabilities,
                            int64_t capacity);

}  // namespace ordercheck::ranks
