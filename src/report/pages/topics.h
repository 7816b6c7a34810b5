// What the ordering page is about, matrix/pages.toml:
//
//   core = ["pp", "tp"]            # transforms that most people stack beside a sharding
//   shardings = ["fsdp"]           # a recommended order for each; the first is that of the headline
//   sample = "fsdp=2,tp=2"         # the stack that the README has checked
//   sections = ["ep@experts"]      # transforms with a section of their own, and with them what is applied to a scope
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "rule/pattern.h"
#include "stack/stack.h"

namespace ordercheck {

struct Topics {
  std::vector<std::string> core;
  std::vector<std::string> shardings;
  std::vector<ItemPattern> sections;
  Stack sample;
};

// Errors are "<path>:<line>: ...": a missing or unknown key, an unknown transform.
Result<Topics> parse_topics(std::string_view text, const std::string& path);
Result<Topics> load_topics(const std::filesystem::path& path);

}  // namespace ordercheck
