#include "rule/models.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

#include "base/toml.h"

namespace ordercheck {
namespace {

struct ModelText {
  const char* name;
  const char* text;
};
constexpr ModelText kTexts[] = {
#include "rule/model_texts.inc"
};

struct Models {
  std::string with_experts;
  std::map<std::string, Sizes> sizes;  // beside the usual ones
};

Models read_models() {
  TomlTable file(kTexts[0].text, "matrix/models.toml");
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
  // A pipeline may say other microbatches: condition_values() then puts them over these.
  sizes["microbatches"] = sizes["accumulation"] = subject.settings.accumulation;
  return {{}, std::move(sizes)};
}

std::string model_of(const Stack& stack, const std::string& usual) {
  const bool has_experts =
      std::ranges::any_of(stack.items, [](const Item& item) { return item.name == "ep" || item.scope == Scope::experts; });
  return has_experts ? models().with_experts : usual;
}

}  // namespace ordercheck
