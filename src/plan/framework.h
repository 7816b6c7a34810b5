// An order that a known project fixes in its code: one file a project in matrix/frameworks/.
//
//   title = "torchtitan (FSDP2)"
//   project = "torchtitan"
//   release = "0.2.2"                   # whose code it is; left out where it is of none
//   order = "pp,tp,ac,compile,fsdp"
//   source = "torchtitan v0.2.2, models/llama3/infra/parallelize.py 54-158"
//   url = "https://github.com/..."      # left out where none is known
//   date = "2026-02-20"                 # of the source; left out where unknown
//   says = "one sentence in our words"
//   runs = ["tp=2,ep=2,fsdp=2 model=deepseek_v3 engine=torchtitan"]   # cases in which its own functions stand for the order;
//                                                                     # left out where no engine has them
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "stack/case.h"
#include "stack/stack.h"

namespace ordercheck {

struct Framework {
  std::string name;  // the file's name without ".toml": "torchtitan"
  std::string title;
  std::string project;
  std::string release;  // "" of none
  Stack order;          // without degrees
  std::string source;
  std::string url;   // "" where none is known
  std::string date;  // "" where unknown
  std::string says;
  std::vector<Case> runs;
  friend bool operator==(const Framework&, const Framework&) = default;
};

// Errors are "<path>:<line>: ...".
Result<Framework> parse_framework(std::string_view text, const std::string& path);
Result<std::vector<Framework>> load_frameworks(const std::filesystem::path& folder);  // sorted by name

// The order without the items that `buildable` does not name. `left_out` gets what was dropped, printed.
Stack project(const Stack& order, const std::vector<std::string>& buildable, std::vector<std::string>& left_out);

}  // namespace ordercheck
