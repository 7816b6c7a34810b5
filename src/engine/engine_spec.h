// How to start a worker, and what is known of it before it is started.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine_file.h"

namespace ordercheck {

struct EngineSpec {
  std::string name;                         // "native": what the worker's hello must say; "" for whatever it says
  std::vector<std::string> command;         // argv; command[0] is a path, or a name on the PATH
  std::vector<std::string> environment;     // NAME=value, over the supervisor's own
  std::chrono::milliseconds slow_start{0};  // what it may take for its hello on top of Limits::hello
  std::string build;                        // "torch 2.11.0+cpu", where that is known before it is started; else ""
  std::chrono::seconds timeout{60};         // for one run
  int threads = 1;                          // hardware threads that one worker keeps busy
  friend bool operator==(const EngineSpec&, const EngineSpec&) = default;
};

// How errors call it: "engine native", and "engine" where its hello is still to say which.
std::string called(const EngineSpec& spec);

// A variable of the environment; "" where it is not set.
std::string environment_of(const char* name);

// What ORDERCHECK_WORKER names: a program in place of the one built beside this.
std::string named_worker();

// Is the program of an engine with `built_beside` there: what ORDERCHECK_WORKER names, whatever that is, or the one beside?
bool has_worker(const EngineFile& engine);

// An engine as its file says. `python` is the interpreter that is meant, of an engine that runs in one: it is looked at, and
// not started as a worker. An error says what was expected where and what builds it.
Result<EngineSpec> engine_spec(const EngineFile& engine, const std::string& python = "");

// Where journals and other things that may be made again are kept: $XDG_CACHE_HOME/ordercheck, else
// ~/.cache/ordercheck. Not created. An error when neither variable is set.
Result<std::filesystem::path> cache_folder();

// Creates the folder if it is missing and a file in it for a moment. An error names the folder and the reason.
Status check_writable(const std::filesystem::path& folder);

// Where ordercheck keeps what it reads at run time: rules/, matrix/, report_templates/, src/drivers/.

// The nearest folder above the running program that holds `path`. Of each folder above, share/ordercheck in it counts too:
// an installation (cmake --install, a wheel, a Debian package) is laid out there as a checkout is. Nothing where none does.
std::optional<std::filesystem::path> home_of(const std::filesystem::path& path);

// The running program's own path; empty where the system does not tell.
std::filesystem::path own_program();

}  // namespace ordercheck
