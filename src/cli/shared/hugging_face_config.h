// Reads the sizes of a model from its Hugging Face config.json.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ordercheck {

struct ConfigSizes {
  std::map<std::string, long long> sizes;  // keyed by the names in rule conditions
  std::vector<std::string> used;           // "heads=32 (num_attention_heads)"
  std::vector<std::string> missing;        // sizes without a key in the file: "head_dim"
};

// Reads sizes from `text_config` if they are there, as in multimodal models. Returns a one-line error if the text is not a JSON
// object, has none of the sizes, or has one that is not a positive integer. `path` is the file's name in errors. Ignores
// max_position_embeddings: the sequence length belongs to the job.
Result<ConfigSizes> read_config(std::string_view text, const std::string& path);

}  // namespace ordercheck
