// The job that a stack is for: what the conditions of pages look at beside the stack itself.
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

// The names of sizes: of the model (layers dim heads kv_heads head_dim ffn_hidden vocab experts, and what is 1 or 0) and of a step
// (sequence_length sequences microbatches accumulation).
//
//   score_before_experts   a token is weighted before its expert sees it; 0: what the expert returns is
//   dropout                training drops something
//   tied                   the output has the weight of the embedding
//   frozen_embedding       the embedding is not trained, frozen_norms: a norm is not; 0 where nothing is said
//   reused_blocks          a block is called more than once in a forward; 0 where nothing is said
//   expert_capacity        an expert takes so many of the tokens that its router sees and drops the others; 0 where nothing is said
//   microbatches           of a pipeline, and accumulation: what a step without one is cut into
const std::vector<std::string>& model_size_names();
const std::vector<std::string>& step_size_names();
bool is_size(std::string_view name);  // one of both

// What a size may be: 1 and more, but a model may be without experts, and a flag is 0 or 1.
struct SizeRange {
  int least = 1;
  int most = 1'000'000'000;
  bool holds(long long size) const { return least <= size && size <= most; }
};
SizeRange range_of_size(std::string_view name);
std::string in_words(const SizeRange& range);  // "a positive integer", "0 or a positive integer", "0 or 1"

// What few models have: where nobody says so, a model has not.
const std::vector<std::string>& rare_flags();

// The sizes of the model and step that every engine runs.
Sizes frozen_sizes();

struct Job {
  std::optional<int> ranks;  // how many there are, where that is known
  Sizes sizes;               // those that are known

  Job(std::optional<int> ranks = {}, Sizes sizes = frozen_sizes()) : ranks(ranks), sizes(std::move(sizes)) {}
  friend bool operator==(const Job&, const Job&) = default;
};

// The sizes of the models that engines build, matrix/models.toml: part of the program.

// By name; of a model that the file does not name, the usual one's (frozen_sizes).
Sizes sizes_of_model(const std::string& model);

// What conditions know of a run: the sizes of its model, and the microbatches of a step.
Job job_of(const Case& subject);

// The model that a stack without one is about: one with experts where it distributes them or shards them by themselves, else
// `usual`.
std::string model_of(const Stack& stack, const std::string& usual);

}  // namespace ordercheck
