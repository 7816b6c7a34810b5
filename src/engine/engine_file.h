// The engines that are known: a file matrix/engines/<name>.toml each. An engine is added by a file, not by code.
//
//   command = ["./worker", "--quick"]   # the worker and its arguments; what begins with ./ lies beside the file, a name
//                                       # without / is looked for on the PATH
//   environment = ["NAME=value"]        # over ordercheck's own
//   timeout = 60                        # seconds for one run
//   slow_start = 60                     # seconds that its hello may take beyond what every worker's may
//   threads = 4                         # hardware threads that one worker keeps busy
//   sources = ["src/ranks"]             # files and folders of ordercheck's repository that its records come from, to
//                                       # tell rows that other sources gave
//   worlds = ["threads", "gloo"]        # what its ranks can be, for --world; the first where nothing is said. Its worker takes it from
//                                       # ORDERCHECK_WORLD
//   devices = ["cpu", "fake"]           # where their tensors can be, for --device; in the same way, from ORDERCHECK_DEVICE
//   keeps = ["graphs"]                  # what its records can hold beside numbers
//   usual_for = ["check"]               # stacks are judged for it where nothing is named, and pages are written for it
//                                       # "definition": it builds transforms from their definitions, so that pages set what it
//                                       # shows beside that, for what is fundamental and what is not
//
// In place of `command` one of these two stands in the files of the engines that come with ordercheck:
//
//   built_beside = "ordercheck-ranks"   # a program beside ordercheck; ORDERCHECK_WORKER names another in its place
//   interpreter = "python with torch"   # runs the Python driver; --python, several and --apply are for such an engine
//   project = "name"                    # beside it: a published project, whose driver is src/drivers/<name>
//
// All but one of `command` and these may be left out. What the engine is called, its versions, transforms, models and so on, its
// worker says itself, in its hello.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ordercheck {

struct EngineFile {
  std::string name;                  // the file's, and what the worker's hello must say
  std::vector<std::string> command;  // paths are resolved
  std::string built_beside;
  std::string interpreter;
  std::string project;  // "" for the interpreter's own PyTorch
  std::vector<std::string> environment;
  std::chrono::seconds timeout{60};
  std::chrono::seconds slow_start{0};
  int threads = 1;
  std::vector<std::string> worlds;
  std::vector<std::string> devices;
  std::vector<std::string> keeps;
  std::vector<std::string> sources;
  bool usual_target = false;
  bool by_definition = false;
  friend bool operator==(const EngineFile&, const EngineFile&) = default;
};

// Errors are "<path>:<line>: ...".
Result<EngineFile> parse_engine_file(std::string_view text, const std::filesystem::path& path);

// The engines that come with ordercheck, which are part of the program, and those of `folder` ("matrix/engines"), by name. A
// file there goes before what the program knows by the same name. No such folder is no error: an installation has none.
Result<std::vector<EngineFile>> load_engine_files(const std::filesystem::path& folder);

const EngineFile* find_engine(const std::vector<EngineFile>& known, std::string_view name);  // null when there is none
std::vector<std::string> names_of(const std::vector<EngineFile>& known);

}  // namespace ordercheck
