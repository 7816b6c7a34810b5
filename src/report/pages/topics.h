// What the ordering page is about, matrix/pages.toml:
//
//   core = ["pp", "tp"]            # transforms that most people stack beside a sharding
//   shardings = ["fsdp"]           # a recommended order for each; the first is that of the headline
//   sample = "fsdp=2,tp=2"         # the stack that the README has checked
//   sections = ["ep@experts"]      # transforms with a section of their own, and with them what is applied to a scope
//   [[point]]                      # what people said in public about one order
//   order = "`tp` before `fsdp`"
//   said = "[natural]"             # their words, with their hedge
//   turned = ["fsdp=2,tp=2"]       # the other order
//   variants = []                  # the other order with options that may make it work; optional
//   needs = "..."                  # what would have to change for the other order to work; optional
//   elsewhere = "..."              # a project whose code has the other order, with its source; optional
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "rule/pattern.h"
#include "stack/stack.h"

namespace ordercheck {

struct Point {
  std::string order, said;
  std::vector<Stack> turned, variants;
  std::string needs, elsewhere;  // "" if not given
};

struct Topics {
  std::vector<std::string> core;
  std::vector<std::string> shardings;
  std::vector<ItemPattern> sections;
  Stack sample;
  std::vector<Point> points;
};

// Errors are "<path>:<line>: ...": a missing or unknown key, an unknown transform.
Result<Topics> parse_topics(std::string_view text, const std::string& path);
Result<Topics> load_topics(const std::filesystem::path& path);

}  // namespace ordercheck
