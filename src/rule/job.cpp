#include "rule/job.h"

#include "base/text.h"
#include "stack/case.h"
#include "stack/model_sizes.h"

namespace ordercheck {

namespace {

bool is_flag(std::string_view name) {
  return name == "score_before_experts" || name == "tied" || name == "dropout" || contains(rare_flags(), name);
}

}  // namespace

const std::vector<std::string>& rare_flags() {
  static const std::vector<std::string> names{"frozen_embedding", "frozen_norms", "reused_blocks", "expert_capacity"};
  return names;
}

const std::vector<std::string>& model_size_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all{
        "layers", "dim",    "heads", "kv_heads", "head_dim", "ffn_hidden", "vocab", "experts", "score_before_experts",
        "tied",   "dropout"};
    all.insert(all.end(), rare_flags().begin(), rare_flags().end());
    return all;
  }();
  return names;
}

const std::vector<std::string>& step_size_names() {
  static const std::vector<std::string> names{"sequence_length", "sequences", "microbatches", "accumulation"};
  return names;
}

bool is_size(std::string_view name) { return contains(model_size_names(), name) || contains(step_size_names(), name); }

SizeRange range_of_size(std::string_view name) {
  if (name == "experts") return {.least = 0};
  if (is_flag(name)) return {.least = 0, .most = 1};
  return {};
}

std::string in_words(const SizeRange& range) {
  if (range.most == 1) return "0 or 1";
  return range.least == 0 ? "0 or a positive integer" : "a positive integer";
}

Sizes frozen_sizes() {
  return {{"layers", kUsualModel.layers},
          {"dim", kUsualModel.dim},
          {"heads", kUsualModel.heads},
          {"kv_heads", kUsualModel.kv_heads},
          {"head_dim", kUsualModel.head_dim},
          {"ffn_hidden", kUsualModel.ffn_hidden},
          {"vocab", kUsualModel.vocab},
          {"dropout", 0},
          {"sequence_length", kStep.sequence_length},
          {"sequences", kStep.sequences},
          {"accumulation", Settings{}.accumulation}};
}

}  // namespace ordercheck
