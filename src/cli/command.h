// Declares the subcommands of the ordercheck program, one source file each, and their exit codes.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "rules/finding.h"

namespace ordercheck::cli {

// Appends example command lines to a subcommand's --help.
inline void show_examples(CLI::App& command, const std::vector<std::string>& lines) {
  std::string text = lines.size() == 1 ? "Example:" : "Examples:";
  for (const std::string& line : lines) text += "\n  ordercheck " + line;
  command.footer(text);
}

// Exit codes, the same for every subcommand.
inline constexpr int kNothingAgainst = 0;  // equal, close; advice only; as predicted in a matrix
inline constexpr int kDecidedAgainst = 1;  // an error finding; differs, fails, hangs, ignored; stale docs
inline constexpr int kBadInput = 2;        // nothing ran, and the caller must change something
inline constexpr int kUndecided = 3;       // an engine crashed; unstable, unrun; a transform without a rule or run

// Print an error on stderr, in one line that begins with the subcommand's name, and return kBadInput or kUndecided.
int bad_input(const std::string& subcommand, const std::string& message);
int undecided(const std::string& subcommand, const std::string& message);

// Converts a subcommand's result to its exit code. Prints an error; its exit code is kUndecided if a process timed out, else
// kBadInput.
int ended(const std::string& subcommand, const Result<int>& result);

// The exit code of a check; with `strict`, advice counts as an error.
int exit_code_of(const Report& report, bool strict);

// Headings of `ordercheck --help`, under which the subcommands are listed.
inline constexpr const char* kAsk = "Ask about an order";
inline constexpr const char* kRun = "Run it on ranks";
inline constexpr const char* kKeep = "Look after pages and the installation";

// Register a subcommand on `app`. Its callback stores the exit code in `exit_code`, which must outlive `app`.
void add_check(CLI::App& app, int& exit_code);
void add_scan(CLI::App& app, int& exit_code);
void add_suggest(CLI::App& app, int& exit_code);
void add_explain(CLI::App& app, int& exit_code);
void add_compare(CLI::App& app, int& exit_code);
void add_import(CLI::App& app, int& exit_code);
void add_init(CLI::App& app, int& exit_code);
void add_record(CLI::App& app, int& exit_code);
void add_rules(CLI::App& app, int& exit_code);
void add_run(CLI::App& app, int& exit_code);
void add_graph(CLI::App& app, int& exit_code);
void add_plan(CLI::App& app, int& exit_code);
void add_watch(CLI::App& app, int& exit_code);
void add_repro(CLI::App& app, int& exit_code);
void add_matrix(CLI::App& app, int& exit_code);
void add_docs(CLI::App& app, int& exit_code);
void add_doctor(CLI::App& app, int& exit_code);
void add_completion(CLI::App& app, int& exit_code);  // `app` must outlive its callback

}  // namespace ordercheck::cli
