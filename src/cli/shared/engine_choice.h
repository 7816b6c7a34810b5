// Selects the engine of a subcommand from --engine, --world, --device, --python and --timeout.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "matrix/engine_file.h"
#include "matrix/engine_spec.h"
#include "record/messages.h"

namespace ordercheck::cli {

struct EngineChoice {
  std::string engine;                // "" if not given
  std::vector<std::string> pythons;  // interpreters, for an engine that runs in one
  std::string world;                 // "" if not given
  std::string device;                // "" if not given
  std::optional<double> timeout;     // seconds for one run; nullopt: `timeout` of the engine's file
};

// Add options to a subcommand.
void add_engine_options(CLI::App* command, EngineChoice& choice);  // --engine and --python
void add_world_options(CLI::App* command, EngineChoice& choice);   // --world and --device
void add_timeout_option(CLI::App* command, EngineChoice& choice);  // --timeout

// The engine of that name; an error lists the known ones.
Result<EngineFile> engine_named(const std::string& name, const std::vector<EngineFile>& known);

// The first engine that runs in a Python interpreter and is not a published project's driver: pytorch.
Result<EngineFile> engine_in_interpreter(const std::vector<EngineFile>& known);

// Returns how to start the selected engine, one spec per build. The engine is the first of these that applies:
// - the one in --engine
// - the interpreter engine, if --python or an option of own_code.h is given
// - the program in ORDERCHECK_WORKER, with any name in its hello
// - the default engine; if that is not built and ORDERCHECK_PYTHON is set, the interpreter engine, with a message on stderr
// An interpreter engine has one spec per interpreter, in order; all are queried before any starts. Returns an error if the
// options contradict each other.
Result<std::vector<EngineSpec>> engines_of(const EngineChoice& choice, const std::vector<EngineFile>& known,
                                           const std::string& own_code = "");

double timeout_of(const EngineChoice& choice, const EngineSpec& spec);

// Column names for builds: "torch 2.11.0+cpu", with the interpreter's path if two builds are equal.
std::vector<std::string> names_of_builds(const std::vector<EngineSpec>& specs);

// Parses --fault, the description of an injected fault.

// Syntax kind:rank:module[:phase|:sequence]: "hang:1:layers.0.attention:backward", "skip_collective:0::7".
Result<Fault> parse_fault(std::string_view text);

}  // namespace ordercheck::cli
