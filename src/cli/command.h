// Subcommands: one file each. cli/ is the only room that prints or exits.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "check/finding.h"

namespace ordercheck::cli {

// Lines that can be typed as they are, at the end of a subcommand's help.
inline void show_examples(CLI::App& command, const std::vector<std::string>& lines) {
  std::string text = lines.size() == 1 ? "Example:" : "Examples:";
  for (const std::string& line : lines) text += "\n  ordercheck " + line;
  command.footer(text);
}

// Exit codes, the same for every subcommand.
inline constexpr int kNothingAgainst = 0;  // nothing against it: equal, close; advice alone, a predicted verdict in a matrix
inline constexpr int kDecidedAgainst = 1;  // an error finding; differs, fails, hangs, ignored; stale docs
inline constexpr int kBadInput = 2;        // nothing ran and the caller must change something
inline constexpr int kUndecided = 3;       // an engine broke; unstable, unrun; a transform that nothing is known of

// Each says on stderr what is wrong, in one line that begins with the subcommand's name, and gives the exit code of that.
int bad_input(const std::string& subcommand, const std::string& message);
int undecided(const std::string& subcommand, const std::string& message);

// The exit code of a subcommand that returned `result`. Prints an error, which is bad input unless a process was too slow.
int ended(const std::string& subcommand, const Result<int>& result);

// Of a check: advice counts where the caller is strict.
int exit_code_of(const Report& report, bool strict);

// Groups of subcommands in the help.
inline constexpr const char* kAsk = "Ask about an order";
inline constexpr const char* kRun = "Run it on ranks";
inline constexpr const char* kKeep = "Look after pages and the installation";

// Each registers its subcommand on `app`; its callback leaves the exit code in `exit_code`, which outlives `app`.
void add_check(CLI::App& app, int& exit_code);
void add_scan(CLI::App& app, int& exit_code);
void add_suggest(CLI::App& app, int& exit_code);
void add_explain(CLI::App& app, int& exit_code);
void add_compare(CLI::App& app, int& exit_code);
void add_import(CLI::App& app, int& exit_code);
void add_rules(CLI::App& app, int& exit_code);
void add_run(CLI::App& app, int& exit_code);
void add_graph(CLI::App& app, int& exit_code);
void add_plan(CLI::App& app, int& exit_code);
void add_watch(CLI::App& app, int& exit_code);
void add_repro(CLI::App& app, int& exit_code);
void add_matrix(CLI::App& app, int& exit_code);
void add_docs(CLI::App& app, int& exit_code);
void add_doctor(CLI::App& app, int& exit_code);
void add_completion(CLI::App& app, int& exit_code);  // `app` outlives its callback

}  // namespace ordercheck::cli
