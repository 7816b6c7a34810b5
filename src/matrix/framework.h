// Loads the orders in which known projects (torchtitan, accelerate, ...) apply transforms in their code: one file per project
// in matrix/frameworks/.
//
//   title = "torchtitan (FSDP2)"
//   project = "torchtitan"
//   release = "0.2.2"                   # the release that contains this code; optional
//   order = "pp,tp,ac,compile,fsdp"
//   source = "torchtitan v0.2.2, models/llama3/infra/parallelize.py 54-158"
//   url = "https://github.com/..."      # optional
//   date = "2026-02-20"                 # of the source; optional
//   says = "one sentence in our words"
//   runs = ["tp=2,ep=2,fsdp=2 model=deepseek_v3 engine=torchtitan"]   # cases that run the project's own functions;
//                                                                     # optional
//
//   [recorded]                          # optional: what `ordercheck record` showed of a job that calls the project's own
//   job = "torchtitan/train.py --..."   # entry point; tests/recorder/orders.py records it and writes this table
//   ranks = 4
//   with = "torch 2.15.0"
//   release = "0.2.2"
//   date = "2026-11-29"
//   order = "tp,ac,compile,fsdp"        # a part of the order above
//   places = "tp torchtitan/models/llama3/parallelize.py:53; ..."
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "stack/case.h"
#include "stack/stack.h"

namespace ordercheck {

struct RecordedFramework {
  std::string job;  // below docs/guide/recorded/
  int ranks = 1;
  std::string with, release, date;  // with: "torch 2.15.0"
  Stack order;                      // without degrees
  std::string places;               // where the project makes each call
  friend bool operator==(const RecordedFramework&, const RecordedFramework&) = default;
};

struct Framework {
  std::string name;  // the file's name without ".toml": "torchtitan"
  std::string title;
  std::string project;
  std::string release;  // "" if not part of a release
  Stack order;          // without degrees
  std::string source;
  std::string url;   // "" if unknown
  std::string date;  // "" if unknown
  std::string says;
  std::vector<Case> runs;
  std::optional<RecordedFramework> recorded = {};
  friend bool operator==(const Framework&, const Framework&) = default;
};

// Errors are "<path>:<line>: ...".
Result<Framework> parse_framework(std::string_view text, const std::string& path);
Result<std::vector<Framework>> load_frameworks(const std::filesystem::path& folder);  // sorted by name

// Removes from a project's order the transforms that an engine does not implement, that is those not in `buildable`.
// `left_out` receives their names.
Stack project(const Stack& order, const std::vector<std::string>& buildable, std::vector<std::string>& left_out);

}  // namespace ordercheck
