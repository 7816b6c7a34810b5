// Defines the report on the stacks of a user's repository: findings, findings that [[allow]] entries cover, and unused
// entries.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/settings/project_file.h"
#include "rules/finding.h"
#include "stack/stack.h"

namespace ordercheck {

// One message at one file and line, which all output formats print.
struct ProjectNote {
  std::string rule;
  Severity severity = Severity::error;
  Origin where;                    // a path relative to the current folder
  std::string stack;               // the stack's name; "" for a note about an entry that allows
  std::vector<std::string> lines;  // what is wrong, why, and what to try
  std::string fingerprint;
};

// A finding, or a transform without a rule or run, that an entry allows.
struct AllowedNote {
  ProjectNote note;
  Allow by;
};

struct StackReport {
  ProjectStack entry;
  Report report;  // without allowed findings
  std::vector<AllowedNote> allowed;
};

// A call of scanned code or of a recorded job that was not understood, or a file that could not be read.
struct OpenPlace {
  Origin where;
  std::string text;       // "not understood: m.apply_tp(mesh): its class is not among the files read"
  bool is_error = false;  // the project refuses it, or the recorded job showed that it had no effect
};

struct ProjectReport {
  std::string path;             // relative to the current folder; "" for a stack without a file
  std::string from_repository;  // relative to the repository root, for SARIF and GitHub
  bool of_code = false;         // the stacks come from scanned training code, not from a project file
  // For scanned code: maps each file's path, as in origins, to its path relative to the repository root.
  std::map<std::string, std::string> code = {};
  std::vector<StackReport> stacks;   // in file order
  std::vector<Allow> expired;        // entries past their last day, which count as errors
  std::vector<Allow> idle;           // entries that cover no finding of any stack
  std::vector<OpenPlace> open = {};  // if not empty, a report without findings is undecided
};

// Combines the checks of a project's stacks and applies its entries that allow findings. `reports` has one per stack, in order.
// `today`: a date such as 2026-11-23. `code`: ProjectReport::code, which decides the places of findings; {} for a project file.
ProjectReport judged(const Project& project, std::vector<Report> reports, const std::string& today,
                     const std::string& from_repository, std::map<std::string, std::string> code = {});

// Wraps the check of one stack from the command line or an imported file; the stack's name is its notation. `path`: the
// imported file, "" if none; findings are then at the lines of the items. `from_repository`: `path` relative to the repository
// root.
ProjectReport judged(Report report, const std::string& path = "", const std::string& from_repository = "");

// The id for an unknown transform in [[allow]] and reports: "unknown-ep".
inline constexpr const char* kUnknownPrefix = "unknown-";
std::string id_of(const Unknown& unknown);

// Transforms without a rule or run that no entry allows, and stacks whose committed run was wrong though no rule says why.
int undecided_of(const ProjectReport& report);
int errors_of(const ProjectReport& report);  // including expired entries
int advice_of(const ProjectReport& report);  // including unused entries

// Rewrites a stack of the user's file in place; all other text, including comments, stays unchanged.

// Returns `text` with the stack of the [[stack]] entry `which` replaced by `stack`. Returns an error unless the result parses
// to the same project with only that stack changed.
Result<std::string> with_stack(std::string_view text, const std::string& path, std::size_t which, const Stack& stack);

}  // namespace ordercheck
