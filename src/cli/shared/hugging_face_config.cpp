#include "cli/shared/hugging_face_config.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace ordercheck {
namespace {

using Json = nlohmann::json;

// Names of a size in transformers' configs; the first one present counts.
struct SizeKeys {
  const char* size;
  std::vector<std::string> keys;
};
const std::vector<SizeKeys>& size_keys() {
  static const std::vector<SizeKeys> all{
      {"layers", {"num_hidden_layers", "n_layer", "n_layers", "num_layers"}},
      {"dim", {"hidden_size", "n_embd", "d_model", "dim"}},
      {"heads", {"num_attention_heads", "n_head", "n_heads", "num_heads"}},
      {"kv_heads", {"num_key_value_heads", "num_kv_heads", "n_kv_heads", "n_head_kv", "multi_query_group_num"}},
      {"head_dim", {"head_dim", "d_kv", "kv_channels"}},
      {"ffn_hidden", {"intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size", "d_ff"}},
      {"vocab", {"vocab_size", "padded_vocab_size"}},
      {"experts", {"num_local_experts", "n_routed_experts", "num_experts", "moe_num_experts"}}};
  return all;
}

std::vector<std::string> keys_of_sizes() {
  std::vector<std::string> lines;
  for (const SizeKeys& of : size_keys()) lines.push_back(fmt::format("{} ({})", of.size, join(of.keys, " or ")));
  return lines;
}

// transformers treats null as absent.
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
      found.missing.emplace_back(of.size);
      continue;
    }
    const Json& value = config.at(*key);
    if (!value.is_number_integer() || value.get<long long>() < 1 || value.get<long long>() > 1'000'000'000)
      return Error{fmt::format("{}: {}: expected a positive integer, got {}", path, *key, one_line(value.dump()))};
    found.sizes[of.size] = value.get<long long>();
    found.used.push_back(fmt::format("{}={} ({})", of.size, value.get<long long>(), *key));
  }
  // As in transformers: without a key there is one KV head per head, or a single one with multi_query.
  if (!found.sizes.contains("kv_heads") && found.sizes.contains("heads")) {
    const auto multi = config.find("multi_query");
    const bool one_for_all = multi != config.end() && multi->is_boolean() && multi->get<bool>();
    const long long heads = one_for_all ? 1 : found.sizes.at("heads");
    found.sizes["kv_heads"] = heads;
    found.used.push_back(fmt::format("kv_heads={} ({})", heads, one_for_all ? "multi_query" : "as many as heads: no key says"));
    std::erase(found.missing, "kv_heads");
  }
  if (const auto tie = config.find("tie_word_embeddings"); tie != config.end() && tie->is_boolean() && !found.sizes.empty()) {
    found.sizes["tied"] = tie->get<bool>() ? 1 : 0;
    found.used.push_back(fmt::format("tied={} (tie_word_embeddings)", found.sizes.at("tied")));
  }
  if (found.sizes.empty())
    return Error{
        fmt::format("{}: expected the config.json of a Hugging Face model, got an object without any of its sizes: "
                    "{}",
                    path, join(keys_of_sizes(), ", "))};
  return found;
}

}  // namespace ordercheck
