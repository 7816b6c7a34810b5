// Describes a training job: its ranks, model and step sizes. The `when` conditions of rule pages use them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stack/case.h"
#include "stack/stack.h"

namespace ordercheck {

using Sizes = std::map<std::string, long long>;

// The names of sizes.
// - model: layers dim heads kv_heads head_dim ffn_hidden vocab experts, and the flags below
// - step: sequence_length sequences microbatches accumulation
//
//   score_before_experts   1: router weights scale an expert's input; 0: they scale its output
//   dropout                training uses dropout
//   tied                   output and embedding share a weight
//   frozen_embedding       the embedding is not trained; frozen_norms: a norm is not; default 0
//   reused_blocks          a forward calls a block more than once; default 0
//   expert_capacity        an expert takes so many of the router's tokens and drops the rest; default 0
//   learned_positions      positions are parameters, not rotary tables; default 0
//   microbatches           of a pipeline; accumulation: of a step without one
const std::vector<std::string>& model_size_names();
const std::vector<std::string>& step_size_names();
bool is_size(std::string_view name);  // of model or step

// The valid range of a size: 1 or more, but experts may be 0, and a flag is 0 or 1.
struct SizeRange {
  int least = 1;
  int most = 1'000'000'000;
  bool holds(long long size) const { return least <= size && size <= most; }
};
SizeRange range_of_size(std::string_view name);
std::string in_words(const SizeRange& range);  // "a positive integer", "0 or a positive integer", "0 or 1"

// Features that few models have: false unless stated.
const std::vector<std::string>& rare_flags();

// The sizes of the small model and step that every engine runs (stack/model_sizes.h).
Sizes frozen_sizes();

struct Job {
  std::optional<int> ranks;  // number of ranks, if known
  Sizes sizes;               // the known sizes

  Job(std::optional<int> ranks = {}, Sizes sizes = frozen_sizes()) : ranks(ranks), sizes(std::move(sizes)) {}
  friend bool operator==(const Job&, const Job&) = default;
};

// The sizes of a model in matrix/models.toml (embedded in the program); frozen_sizes() if the model is not there.
Sizes sizes_of_model(const std::string& model);

// The sizes of the case's model, and the microbatches of its step.
Job job_of(const Case& subject);

// The model to run a stack with: one with experts if the stack has ep or the scope experts, else `usual`.
std::string model_of(const Stack& stack, const std::string& usual);

}  // namespace ordercheck
