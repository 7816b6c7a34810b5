// Loads the known engines: one file matrix/engines/<name>.toml per engine. Adding an engine needs no code.
//
//   command = ["./worker", "--quick"]   # the worker and its arguments; ./ is relative to this file, a name without / is
//                                       # looked up in PATH
//   environment = ["NAME=value"]        # overrides ordercheck's own environment
//   timeout = 60                        # seconds for one run
//   slow_start = 60                     # extra seconds for its hello, added to the limit of every worker
//   threads = 4                         # hardware threads that one worker keeps busy
//   sources = ["src/native"]            # files and folders of the repository that determine its records; a change of them
//                                       # makes rows stale
//   worlds = ["threads", "gloo"]        # rank kinds for --world, the default first; passed in ORDERCHECK_WORLD
//   devices = ["cpu", "cuda"]           # devices for --device, the default first; passed in ORDERCHECK_DEVICE
//   keeps = ["graphs"]                  # what its records can hold besides numbers
//   usual_for = ["check"]               # "check": the default target of checks, and the engine that pages are written for
//                                       # "definition": it builds transforms from their definitions; pages compare its
//                                       # results to tell fundamental from incidental effects
//
// The files of the engines that come with ordercheck have one of these two in place of `command`:
//
//   built_beside = "ordercheck-ranks"   # a program next to ordercheck; ORDERCHECK_WORKER overrides it
//   interpreter = "python with torch"   # runs the Python driver; --python, several builds and --apply need such an engine
//   project = "name"                    # with `interpreter`: a published project with the driver src/drivers/<name>
//
// All keys are optional except for exactly one of `command`, `built_beside` and `interpreter`. The worker's hello reports its
// name, versions, transforms and models.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ordercheck {

struct EngineFile {
  std::string name;                  // the file's name; the worker's hello must report the same
  std::vector<std::string> command;  // with resolved paths
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

// The built-in engines and those of `folder` ("matrix/engines"), sorted by name. A file there overrides a built-in engine of
// the same name. A missing folder is no error: an installation has none.
Result<std::vector<EngineFile>> load_engine_files(const std::filesystem::path& folder);

const EngineFile* find_engine(const std::vector<EngineFile>& known, std::string_view name);  // nullptr if unknown
std::vector<std::string> names_of(const std::vector<EngineFile>& known);

}  // namespace ordercheck
