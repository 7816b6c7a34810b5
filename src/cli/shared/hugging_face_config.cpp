#include "cli/shared/hugging_face_config.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace ordercheck {
namespace {

using Json = nlohmann::json;

// What transformers calls a size; of several names the first that is there.
struct SizeKeys {
  const char* size;
  std::vector<std::string> keys;
};
const std::vector<SizeKeys>& size_keys() {
  static const std::vector<SizeKeys> all{
      {"layers", {"num_hidden_layers"}},  {"dim", {"hidden_size"}},
      {"heads", {"num_attention_heads"}}, {"kv_heads", {"num_key_value_heads"}},
      {"head_dim", {"head_dim"}},         {"ffn_hidden", {"intermediate_size"}},
      {"vocab", {"vocab_size"}},          {"experts", {"num_local_experts", "n_routed_experts", "num_experts"}}};
  return all;
}

// null counts as not there, as it does for transformers.
const std::string* key_in(const Json& config, const SizeKeys& of) {
  for (const std::string& key : of.keys)
    if (const auto found = config.find(key); found != config.end() && !found->is_null()) return &key;
  return nullptr;
}

bool holds_a_size(const Json& config) {
  return std::ranges::any_of(size_keys(), [&](const SizeKeys& of) { return key_in(config, of) != nullptr; });
}

}  // namespace

Result<ConfigSizes> read_config(std::string_view text, const std::string& path) {
  const Json whole = Json::parse(text, nullptr, false);
  if (!whole.is_object())
    return Error{fmt::format("{}: expected a JSON object, the config.json of a Hugging Face model, got {}", path,
                             whole.is_discarded() ? "no JSON" : whole.type_name())};
  const auto inner = whole.find("text_config");
  const bool nested = !holds_a_size(whole) && inner != whole.end() && inner->is_object();
  const Json& config = nested ? *inner : whole;
  ConfigSizes found;
  for (const SizeKeys& of : size_keys()) {
    const std::string* key = key_in(config, of);
    if (key == nullptr) {
      found.missing.push_back(fmt::format("{} ({})", of.size, join(of.keys, " or ")));
      continue;
    }
    const Json& value = config.at(*key);
    if (!value.is_number_integer() || value.get<long long>() < 1 || value.get<long long>() > 1'000'000'000)
      return Error{fmt::format("{}: {}: expected a positive integer, got {}", path, *key, one_line(value.dump()))};
    found.sizes[of.size] = value.get<long long>();
    found.used.push_back(fmt::format("{}={} ({})", of.size, value.get<long long>(), *key));
  }
  if (found.sizes.empty())
    return Error{
        fmt::format("{}: expected the config.json of a Hugging Face model, got an object without any of its sizes: "
                    "{}",
                    path, join(found.missing, ", "))};
  return found;
}

}  // namespace ordercheck
