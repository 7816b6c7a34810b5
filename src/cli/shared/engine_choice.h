// Which engine a subcommand runs on, as it is written on the command line: --engine, --python, --timeout.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "engine/engine_spec.h"

namespace ordercheck::cli {

struct EngineChoice {
  std::string engine;                // "" when it was not said
  std::vector<std::string> pythons;  // interpreters of the pytorch engine
  std::optional<double> timeout;     // seconds for one run; nothing: the engine's own
};

// The values of --engine, also for completions.
const std::vector<std::string>& engine_names();

// Each adds its options to a subcommand.
void add_engine_options(CLI::App* command, EngineChoice& choice);  // --engine and --python
void add_timeout_option(CLI::App* command, EngineChoice& choice);  // --timeout

// The engine that is meant: what was said; else pytorch where an interpreter or a function of the user's (`apply`) is named,
// and native otherwise. An error where these contradict each other.
Result<std::string> engine_meant(const EngineChoice& choice, const std::string& apply = "");

// How to start it: one for native; for pytorch one an interpreter, in the order in which they were named. Every
// interpreter is looked at before any is started.
Result<std::vector<EngineSpec>> engines_of(const EngineChoice& choice, const std::string& apply = "");

double timeout_of(const EngineChoice& choice, const EngineSpec& spec);

// What tables call each: "torch 2.11.0+cpu", with the interpreter where two are alike.
std::vector<std::string> names_of_builds(const std::vector<EngineSpec>& specs);

}  // namespace ordercheck::cli
