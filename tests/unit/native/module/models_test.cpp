#include "native/module/models.h"

#include <set>
#include <string>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace ordercheck::ranks {
namespace {

struct Traits {
  bool tied = false;
  std::set<std::string> frozen;
  int first_block_calls = 1;
  friend bool operator==(const Traits&, const Traits&) = default;
};

Traits traits_of(const std::string& name) {
  const ModulePtr model = make_model(name, {});
  Traits traits;
  traits.tied = model->child("output")->parameter("weight") == model->child("tok_embeddings")->parameter("weight");
  for (const NamedParameter& named : parameters_of(model))
    if (!named.parameter->tensor.requires_grad()) traits.frozen.insert(named.name);
  traits.first_block_calls = 0;
  model->child("layers")->child("0")->add_pre_hook([&](Module&, Tensors inputs) {
    ++traits.first_block_calls;
    return inputs;
  });
  if (name == "llama_dropout") return {.tied = traits.tied, .frozen = traits.frozen};  // draws, which a rank alone may
  model->call({at::arange(4, at::kLong).view({1, 4}), at::arange(4, at::kLong)});
  return traits;
}

// As matrix/models.toml says of them.
TEST(Models, AreTiedFrozenAndReusedByTheirNames) {
  for (const std::string& name : model_names()) {
    Traits owed;
    if (name == "llama_tied") owed.tied = true;
    if (name == "llama_frozen") owed.frozen = {"tok_embeddings.weight"};
    if (name == "llama_frozen_norm") owed.frozen = {"norm.weight"};
    if (name == "llama_shared") owed.first_block_calls = 2;
    EXPECT_TRUE(traits_of(name) == owed) << name;
  }
}

}  // namespace
}  // namespace ordercheck::ranks
