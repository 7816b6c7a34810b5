// Describes how to start a worker process of an engine, and what is known about it before the start.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "matrix/engine_file.h"

namespace ordercheck {

struct EngineSpec {
  std::string name;                         // the name that the worker's hello must report; "" accepts any
  std::vector<std::string> command;         // argv; command[0] is a path or is looked up in PATH
  std::vector<std::string> environment;     // NAME=value, overrides the supervisor's own
  std::chrono::milliseconds slow_start{0};  // extra time for its hello, added to Limits::hello
  std::string build;                        // "torch 2.11.0+cpu" if known before the start, else ""
  std::chrono::seconds timeout{60};         // for one run
  int threads = 1;                          // hardware threads that one worker keeps busy
  friend bool operator==(const EngineSpec&, const EngineSpec&) = default;
};

// The name in error messages: "engine native", or "engine" if its name is not known yet.
std::string called(const EngineSpec& spec);

// An environment variable; "" if it is not set.
std::string environment_of(const char* name);

// The worker program in the environment variable ORDERCHECK_WORKER, which replaces the one next to ordercheck; "" if unset.
std::string named_worker();

// Whether the worker of an engine with `built_beside` exists. True without a check if ORDERCHECK_WORKER is set.
bool has_worker(const EngineFile& engine);

// Converts an engine file (matrix/engines/*.toml) to a spec. `python` is the interpreter for an engine that runs in one; it is
// queried for its torch version, but no worker starts. If the worker program is missing, the error says where it was expected
// and how to build it.
Result<EngineSpec> engine_spec(const EngineFile& engine, const std::string& python = "");

// The folder for journals and other reproducible files: $XDG_CACHE_HOME/ordercheck, else ~/.cache/ordercheck. Not created.
// Returns an error if neither XDG_CACHE_HOME nor HOME is set.
Result<std::filesystem::path> cache_folder();

// Creates the folder if it is missing, and a temporary file in it. An error names the folder and the reason.
Status check_writable(const std::filesystem::path& folder);

// Finds the files that ordercheck reads at run time: rules/, matrix/, report_templates/, src/drivers/.

// The nearest folder above the running program that contains `path`. At each level, share/ordercheck counts too: an
// installation (cmake --install, a wheel, a Debian package) has the layout of a checkout there. nullopt if no folder contains
// it.
std::optional<std::filesystem::path> home_of(const std::filesystem::path& path);

// Whether the running program was built in a checkout. Only there may a message name a script of it.
bool is_in_checkout();

// The path of the running program; empty if it cannot be read.
std::filesystem::path own_program();

}  // namespace ordercheck
