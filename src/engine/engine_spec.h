// How to start a worker, and where the native one is.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace ordercheck {

struct EngineSpec {
  std::string name;                         // "native": what the worker's hello must say
  std::vector<std::string> command;         // argv; command[0] is a path
  std::vector<std::string> environment;     // NAME=value, over the supervisor's own
  std::chrono::milliseconds slow_start{0};  // what it may take for its hello on top of Limits::hello
  std::string build;                        // "torch 2.11.0+cpu", where that is known before it is started; else ""
  friend bool operator==(const EngineSpec&, const EngineSpec&) = default;
};

// The native worker: what ORDERCHECK_WORKER names, else `ordercheck-ranks` beside this program. An error says what was
// expected where and what builds it.
Result<std::filesystem::path> find_native_worker();

// The native engine, started as find_native_worker() without arguments.
Result<EngineSpec> native_engine();

// Where journals and other things that may be made again are kept: $XDG_CACHE_HOME/ordercheck, else
// ~/.cache/ordercheck. Not created. An error when neither variable is set.
Result<std::filesystem::path> cache_folder();

// Creates the folder if it is missing and a file in it for a moment. An error names the folder and the reason.
Status check_writable(const std::filesystem::path& folder);

}  // namespace ordercheck
