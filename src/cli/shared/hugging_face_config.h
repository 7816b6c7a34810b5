// Sizes of a model out of its Hugging Face config.json.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ordercheck {

struct ConfigSizes {
  std::map<std::string, long long> sizes;  // by the names that the conditions of rules have for them
  std::vector<std::string> used;           // "heads=32 (num_attention_heads)"
  std::vector<std::string> missing;        // sizes that it has no key for: "head_dim"
};

// A config whose sizes stand in `text_config`, as those of models for images and text do, is read there. An error of one
// line for what is no JSON object, holds none of the sizes, or holds one that is no positive integer. `path` names the
// file in errors. The sequence length is a job's and no model's: max_position_embeddings is not read.
Result<ConfigSizes> read_config(std::string_view text, const std::string& path);

}  // namespace ordercheck
