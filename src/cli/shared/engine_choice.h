// Which engine a subcommand runs on, as it is written on the command line: --engine, --world, --device, --python, --timeout.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "engine/engine_file.h"
#include "engine/engine_spec.h"
#include "protocol/messages.h"

namespace ordercheck::cli {

struct EngineChoice {
  std::string engine;                // "" when it was not said
  std::vector<std::string> pythons;  // interpreters, of an engine that runs in one
  std::string world;                 // "" when it was not said
  std::string device;                // the same
  std::optional<double> timeout;     // seconds for one run; nothing: the engine's own
};

// Each adds its options to a subcommand.
void add_engine_options(CLI::App* command, EngineChoice& choice);  // --engine and --python
void add_world_options(CLI::App* command, EngineChoice& choice);   // --world and --device
void add_timeout_option(CLI::App* command, EngineChoice& choice);  // --timeout

// The engine of that name; an error names those that are known.
Result<EngineFile> engine_named(const std::string& name, const std::vector<EngineFile>& known);

// The first that runs in an interpreter, and is no published project's.
Result<EngineFile> engine_in_interpreter(const std::vector<EngineFile>& known);

// How to start the engine that is meant, one a build. It is what was said; else the one that runs in an interpreter where an
// interpreter or code of the user's own (an option of own_code.h) is named; else what ORDERCHECK_WORKER names, whatever its hello says that
// it is; else the one that a case means which names none, or, where its program is not built and ORDERCHECK_PYTHON names an
// interpreter, the one that runs in that, which is told on stderr. Of an engine that runs in an interpreter one an interpreter, in the
// order in which they were named; every interpreter is looked at before any is started. An error where these contradict each
// other.
Result<std::vector<EngineSpec>> engines_of(const EngineChoice& choice, const std::vector<EngineFile>& known,
                                           const std::string& own_code = "");

double timeout_of(const EngineChoice& choice, const EngineSpec& spec);

// What tables call each: "torch 2.11.0+cpu", with the interpreter where two are alike.
std::vector<std::string> names_of_builds(const std::vector<EngineSpec>& specs);

// A fault as it is written on a command line.

// kind:rank:module[:phase|:sequence]   "hang:1:layers.0.attention:backward", "skip_collective:0::7"
Result<Fault> parse_fault(std::string_view text);

}  // namespace ordercheck::cli
