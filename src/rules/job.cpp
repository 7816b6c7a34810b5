#include "rules/job.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

#include "base/text.h"
#include "base/toml.h"
#include "stack/case.h"
#include "stack/model_sizes.h"

namespace ordercheck {
namespace {

bool is_flag(std::string_view name) {
  return name == "score_before_experts" || name == "tied" || name == "dropout" || contains(rare_flags(), name);
}

}  // namespace

const std::vector<std::string>& rare_flags() {
  static const std::vector<std::string> names{"frozen_embedding", "frozen_norms", "reused_blocks", "expert_capacity",
                                              "learned_positions"};
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

namespace {

struct ModelText {
  const char* name;
  const char* text;
};
constexpr ModelText kModelTexts[] = {
#include "rules/model_texts.inc"
};

struct Models {
  std::string with_experts;
  std::map<std::string, Sizes> sizes;  // per model: the sizes that differ from frozen_sizes()
};

Models read_models() {
  TomlTable file(kModelTexts[0].text, "matrix/models.toml");
  Models models{.with_experts = file.text("with_experts"), .sizes = {}};
  for (TomlTable& model : file.tables("model")) {
    Sizes sizes;
    for (const std::string& size : model_size_names())
      if (const auto value = model.number_if_given(size, range_of_size(size).least)) sizes[size] = *value;
    for (const std::string& name : model.texts("names")) models.sizes[name] = sizes;
    file.adopt(model);
  }
  assert(!file.error() && "a test reads it");
  return models;
}

const Models& models() {
  static const Models read = read_models();
  return read;
}

}  // namespace

Sizes sizes_of_model(const std::string& model) {
  Sizes sizes = frozen_sizes();
  if (const auto found = models().sizes.find(model); found != models().sizes.end())
    for (const auto& [name, value] : found->second) sizes[name] = value;
  return sizes;
}

Job job_of(const Case& subject) {
  Sizes sizes = sizes_of_model(subject.model);
  // condition_values() overrides these with the microbatches of a pipeline.
  sizes["microbatches"] = sizes["accumulation"] = subject.settings.accumulation;
  return {{}, std::move(sizes)};
}

std::string model_of(const Stack& stack, const std::string& usual) {
  const bool has_experts =
      std::ranges::any_of(stack.items, [](const Item& item) { return item.name == "ep" || item.scope == Scope::experts; });
  return has_experts ? models().with_experts : usual;
}

}  // namespace ordercheck
