#include "native/module/models.h"

#include <cassert>

namespace ordercheck::ranks {
namespace {

struct NamedModel {
  const char* name;
  ModulePtr (*make)(const ModelOptions& options);
};

// 0.1 is usual. At 0.25 dropout changes the gradient of every parameter, so that a wrong drop cannot go unnoticed.
ModulePtr with_dropout(ModelOptions options) {
  options.dropout = 0.25;
  return make_llama(kUsualModel, options);
}

// Like transformers' tie_word_embeddings and torchtitan's enable_weight_tying.
ModulePtr tied(ModelOptions options) {
  options.tied = true;
  return make_llama(kUsualModel, options);
}

ModulePtr frozen(ModelOptions options, const char* parameter) {
  options.frozen = parameter;
  return make_llama(kUsualModel, options);
}

// Like models with shared layers: the first block runs again on its own output.
ModulePtr looped(ModelOptions options) {
  options.first_block_calls = 2;
  return make_llama(kUsualModel, options);
}

// DeepSpeed's default factor: an expert takes its equal share of the tokens. One expert gets none, so others exceed theirs.
ModulePtr with_capacity(ModelOptions options) {
  options.capacity_factor = 1;
  return make_moe(kUsualModel, kUsualExperts, options);
}

const NamedModel kModels[] = {
    {"llama", [](const ModelOptions& options) { return make_llama(kUsualModel, options); }},
    {"llama_dropout", [](const ModelOptions& options) { return with_dropout(options); }},
    {"llama_frozen", [](const ModelOptions& options) { return frozen(options, "tok_embeddings.weight"); }},
    {"llama_frozen_norm", [](const ModelOptions& options) { return frozen(options, "norm.weight"); }},
    {"llama_shared", [](const ModelOptions& options) { return looped(options); }},
    {"llama_tied", [](const ModelOptions& options) { return tied(options); }},
    {"moe", [](const ModelOptions& options) { return make_moe(kUsualModel, kUsualExperts, options); }},
    {"moe_capacity", [](const ModelOptions& options) { return with_capacity(options); }},
};

}  // namespace

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const NamedModel& model : kModels) names.emplace_back(model.name);
  return names;
}

ModulePtr make_model(const std::string& name, const ModelOptions& options) {
  for (const NamedModel& model : kModels)
    if (model.name == name) return model.make(options);
  assert(false && "a model of model_names()");
  return nullptr;
}

}  // namespace ordercheck::ranks
