// Converts a project's report to notes: one message at one file and line each, which all output formats print.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/settings/project_file.h"
#include "cli/settings/project_report.h"

namespace ordercheck {

struct ProjectNote {
  std::string rule;
  Severity severity = Severity::error;
  Origin where;                    // a path relative to the current folder
  std::string stack;               // the stack's name; "" for a note about an [[allow]] entry
  std::vector<std::string> lines;  // what is wrong, why, and what to try
  std::string fingerprint;
};

inline constexpr const char* kExpired = "expired-allow";
inline constexpr const char* kIdle = "idle-allow";
inline constexpr const char* kNotUnderstood = "not-understood";  // a call or file of scanned code that was not understood

std::vector<ProjectNote> notes_of(const ProjectReport& report);
// For scanned code: like notes_of, but a finding that several stacks of a function share is one note.
std::vector<ProjectNote> notes_once_a_function(const ProjectReport& report);

std::string message_of(const ProjectNote& note);  // its lines joined into one

Origin place_of(const ProjectReport& report, const ProjectStack& entry);
// For scanned code, the last of the calls involved; else the line of the stack.
Origin place_of(const ProjectReport& report, const StackReport& one, const Finding& finding);
// The path relative to the repository root, for SARIF and GitHub annotations.
std::string in_repository(const ProjectReport& report, const Origin& where);

// "2 stacks: 1 error, 0 advisories", for these notes.
std::string summary_of(const ProjectReport& report, const std::vector<ProjectNote>& notes);

// Which findings an [[allow]] entry covers, and until when.

// Whether the [[allow]] entry covers findings of this rule in this stack.
bool is_about(const Allow& allow, std::string_view stack, std::string_view rule);

// Whether the entry's last day (`until`) is before `today`, a date such as 2026-11-23.
bool has_expired(const Allow& allow, std::string_view today);

// The first unexpired [[allow]] entry that covers this rule in this stack, else the first expired one, else nullptr.
const Allow* allowance_for(const Project& project, std::string_view stack, std::string_view rule, std::string_view today);

}  // namespace ordercheck
