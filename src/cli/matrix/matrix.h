// Declares ordercheck matrix: its options, and the selection of cases and builds that its subcommands share.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/shared/engine_choice.h"
#include "matrix/plan.h"
#include "rules/rule.h"

namespace ordercheck::cli {

struct MatrixCommand {
  std::string rules;
  std::string folder;  // contains space.toml, space-<engine>.toml, frameworks/ and evidence/
  std::string format = "text";
  std::string arithmetic;         // "" for each case's default
  std::vector<std::string> only;  // glob patterns; a case is selected if one matches its text
  std::string tier;               // "" for default, or for full if --only selects cases
  std::string shard;
  std::string journal;
  std::string out;                   // an output file: the table of `run`, or the report of `show`; "" for none
  std::string into;                  // the evidence folder that `merge` writes to; "" for none
  std::vector<std::string> parts;    // tables written by `matrix run --out`
  std::vector<std::string> reports;  // "junit=FILE"
  std::string python;                // for `show`: generates the scripts of the HTML page; "" for none
  int jobs = 0;
  EngineChoice engine;
  bool fresh = false;
  bool write = false;
  bool check = false;
  bool verbose = false;
};

// Register `matrix list`, `matrix run` and so on. They share `options`.
void add_matrix_list(CLI::App& matrix, const std::shared_ptr<MatrixCommand>& options, int& exit_code);
void add_matrix_run(CLI::App& matrix, const std::shared_ptr<MatrixCommand>& options, int& exit_code);
void add_matrix_merge(CLI::App& matrix, const std::shared_ptr<MatrixCommand>& options, int& exit_code);
void add_matrix_diff(CLI::App& matrix, const std::shared_ptr<MatrixCommand>& options, int& exit_code);
void add_matrix_show(CLI::App& matrix, const std::shared_ptr<MatrixCommand>& options, int& exit_code);

void add_folders(CLI::App* command, MatrixCommand& options);    // --rules and --matrix
void add_selection(CLI::App* command, MatrixCommand& options);  // --engine, --only and the other options that select cases

// --matrix, else the folder `matrix` next to the rules.
Result<std::filesystem::path> matrix_folder(const MatrixCommand& command);

Arithmetic arithmetic_of(const MatrixCommand& command);

// The rules, and the plan of all selected cases that the engine can build.
struct Planned {
  std::vector<Rule> rules;
  std::filesystem::path folder;
  Plan plan;          // of the requested shard
  bool whole = true;  // every case of the space
};
Result<Planned> plan_of(const MatrixCommand& command, const Hello& hello);

// The engine builds to run, one per --python. An error if two interpreters have equal builds, since evidence is stored per
// build and they would share a table.
Result<std::vector<EngineSpec>> builds_of(const MatrixCommand& command);

// A heading above the output of one build, if there are several; else "".
std::string heading(const EngineSpec& spec, std::size_t of);

// The JSON output: one object, or an array of objects for several builds.
std::string objects_text(const std::vector<std::string>& objects);

}  // namespace ordercheck::cli
