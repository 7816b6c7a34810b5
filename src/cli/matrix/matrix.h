// ordercheck matrix plan|run|show: what they are asked, and what they share: which cases, on which builds of an engine.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/shared/engine_choice.h"
#include "plan/plan.h"
#include "rule/rule.h"

namespace ordercheck::cli {

struct MatrixCommand {
  std::string rules;
  std::string folder;  // of space.toml, space-<engine>.toml, frameworks/ and evidence/
  std::string format = "text";
  std::string arithmetic;         // "" for what each case is usually run with
  std::vector<std::string> only;  // patterns; a case is meant that matches one
  std::string tier;               // "" for default, and for full where something else says which cases
  std::string shard;
  std::string journal;
  std::string out;                   // a file: of `run` for the table of what was seen, of `show` for a report; "" for none
  std::string into;                  // a folder of evidence that merged parts are written into; "" for none
  std::vector<std::string> parts;    // tables that `matrix run --out` wrote
  std::vector<std::string> reports;  // "junit=FILE"
  std::string python;                // of `show`: writes the scripts of the HTML page; "" for none
  int jobs = 0;
  EngineChoice engine;
  bool fresh = false;
  bool write = false;
  bool check = false;
};

// Each registers its subcommand below `matrix`. Those that take `options` share the one.
void add_matrix_plan(CLI::App& matrix, const std::shared_ptr<MatrixCommand>& options, int& exit_code);
void add_matrix_run(CLI::App& matrix, const std::shared_ptr<MatrixCommand>& options, int& exit_code);
void add_matrix_merge(CLI::App& matrix, const std::shared_ptr<MatrixCommand>& options, int& exit_code);
void add_matrix_diff(CLI::App& matrix, const std::shared_ptr<MatrixCommand>& options, int& exit_code);
void add_matrix_show(CLI::App& matrix, const std::shared_ptr<MatrixCommand>& options, int& exit_code);

void add_folders(CLI::App* command, MatrixCommand& options);    // --rules and --matrix
void add_selection(CLI::App* command, MatrixCommand& options);  // --engine, --only and what else says which cases

// What was written, else the folder `matrix` beside the rules.
Result<std::filesystem::path> matrix_folder(const MatrixCommand& command);

Arithmetic arithmetic_of(const MatrixCommand& command);

// The rules, and the plan of everything that the engine can build.
struct Planned {
  std::vector<Rule> rules;
  std::filesystem::path folder;
  Plan plan;          // of the shard that was asked for
  bool whole = true;  // every case of the space
};
Result<Planned> plan_of(const MatrixCommand& command, const Hello& hello);

// The interpreters of one run have to be of different builds: evidence is kept by build, and two of one would be one table.
Result<std::vector<EngineSpec>> builds_of(const MatrixCommand& command);

// Over what one of several interpreters gives; nothing where there is only one.
std::string heading(const EngineSpec& spec, std::size_t of);

// One object, or, of several interpreters, an array.
std::string objects_text(const std::vector<std::string>& objects);

}  // namespace ordercheck::cli
