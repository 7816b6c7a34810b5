// ordercheck mutants list|run: what they are asked, and what they share.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/shared/engine_choice.h"
#include "cli/shared/engine_session.h"
#include "plan/mutants.h"

namespace ordercheck::cli {

struct MutantsCommand {
  std::vector<std::string> names;  // of mutants; all where it is empty
  EngineChoice engine;
  std::string rules;
  std::string format = "text";
  bool write = false;
};

// Each registers its subcommand below `mutants`, and they share `options`.
void add_mutants_list(CLI::App& mutants, const std::shared_ptr<MutantsCommand>& options, int& exit_code);
void add_mutants_run(CLI::App& mutants, const std::shared_ptr<MutantsCommand>& options, int& exit_code);

// The engine that is meant, started, and its table.
struct MutantsEngine {
  std::filesystem::path matrix;
  std::unique_ptr<EngineSession> session;
  MutantRows table;
};
Result<MutantsEngine> start_engine_of(const MutantsCommand& command);

void add_mutants_options(CLI::App* command, MutantsCommand& options);  // --engine, --python, --rules and --format

}  // namespace ordercheck::cli
