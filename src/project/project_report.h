// The stacks of a user's repository, judged: findings, those that are allowed, and entries that allow nothing any more.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "check/finding.h"
#include "project/project_file.h"
#include "stack/stack.h"

namespace ordercheck {

struct AllowedFinding {
  Finding finding;
  Allow by;
};

struct StackReport {
  ProjectStack entry;
  Report report;  // without what is allowed
  std::vector<AllowedFinding> allowed;
};

// A call of scanned code that may apply a transform and was not followed, or a file that could not be read.
struct OpenPlace {
  Origin where;
  std::string text;  // "not understood: m.apply_tp(mesh): its class is not among the files read"
};

struct ProjectReport {
  std::string path;             // as a terminal here would open it; "" for a stack that no file names
  std::string from_repository;  // from the top of the repository, as what reads a report elsewhere counts it
  bool of_code = false;         // its stacks are what scanned code applies, and no file states them
  // Files of scanned code, as origins name them, and each from the top of the repository.
  std::map<std::string, std::string> code = {};
  std::vector<StackReport> stacks;   // in the order of the file
  std::vector<Allow> expired;        // their last day is over: they allow nothing, and are errors
  std::vector<Allow> idle;           // what they allow is found in no stack
  std::vector<OpenPlace> open = {};  // of code: with one of them, silence about the rest decides nothing
};

// `reports` are those of the project's stacks, in their order. `today`: 2026-11-23.
ProjectReport judged(const Project& project, std::vector<Report> reports, const std::string& today,
                     const std::string& from_repository);

// A stack that no .ordercheck.toml names, by its own notation. Of one that another file states, that file as `path`; findings stand
// then where their items have their origins, which are counted as `from_repository` is.
ProjectReport judged(Report report, const std::string& path = "", const std::string& from_repository = "");

// As [[allow]] and reports call what nothing is known of: "unknown-ep".
inline constexpr const char* kUnknownPrefix = "unknown-";
std::string id_of(const Unknown& unknown);

// Moves what `reason_of` gives a reason for to the findings that are allowed.
void allow_findings(ProjectReport& report, const std::function<std::string(const StackReport&, const Finding&)>& reason_of);

int unknown_of(const ProjectReport& report);  // transforms that nothing is known of and no entry allows
int errors_of(const ProjectReport& report);   // expired entries are errors too
int advice_of(const ProjectReport& report);   // idle entries are advice too

// A stack of the user's file, written anew where it stands: his comments, his order of keys and all other lines stay as they are.

// `text` with the stack of entry `which` of its [[stack]] written as `stack`. An error where the result would not be read as the same
// file with that stack: nobody's file is left half understood.
Result<std::string> with_stack(std::string_view text, const std::string& path, std::size_t which, const Stack& stack);

}  // namespace ordercheck
