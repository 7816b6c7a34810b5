// Converts a project's report to notes: one message at one file and line each, which all output formats print.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/settings/project_file.h"
#include "cli/settings/project_report.h"

namespace ordercheck {

inline constexpr const char* kExpired = "expired-allow";
inline constexpr const char* kIdle = "idle-allow";
inline constexpr const char* kWrongRun = "wrong-run";  // a committed run of the stack was wrong, and no rule explains it
inline constexpr const char* kNotUnderstood = "not-understood";  // a call or file of scanned code that was not understood
inline constexpr const char* kNoEffect = "no-effect";            // OpenPlace::is_error

// The note about a finding, or about a transform without a rule or run, of one stack of the report.
ProjectNote note_of(const ProjectReport& report, const StackReport& one, const Finding& finding);
ProjectNote note_of(const ProjectReport& report, const StackReport& one, const Unknown& unknown);
// The note about a stack whose committed run was wrong (Report::ran_wrong).
ProjectNote note_of_wrong_run(const ProjectReport& report, const StackReport& one);

std::vector<ProjectNote> notes_of(const ProjectReport& report);
// For scanned code: like notes_of, but a finding that several stacks of a function share is one note.
std::vector<ProjectNote> notes_once_a_function(const ProjectReport& report);
// What entries allow; for scanned code, once per function like notes_once_a_function.
std::vector<AllowedNote> allowed_of(const ProjectReport& report);

std::string message_of(const ProjectNote& note);  // its lines joined into one

Origin place_of(const ProjectReport& report, const ProjectStack& entry);
// For scanned code, the last of the calls involved; else the line of the stack.
Origin place_of(const ProjectReport& report, const StackReport& one, const Finding& finding);
// The path relative to the repository root, for SARIF and GitHub annotations.
std::string in_repository(const ProjectReport& report, const Origin& where);

// What --select and --ignore leave out of the reports of all stacks.
NotAsked not_asked_of(const ProjectReport& report);

// "2 stacks: 1 error, 0 advisories", for these notes.
std::string summary_of(const ProjectReport& report, const std::vector<ProjectNote>& notes);

// Which findings an entry covers, and until when.

// Whether the entry covers this note: its rule, its stack if the entry names one, and its line if the entry is a comment.
bool covers(const Allow& allow, const ProjectNote& note);

// Whether the entry's last day (`until`) is before `today`, a date such as 2026-11-23.
bool has_expired(const Allow& allow, std::string_view today);

// The first unexpired [[allow]] entry that covers this rule in this stack, else the first expired one, else nullptr.
const Allow* allowance_for(const Project& project, std::string_view stack, std::string_view rule, std::string_view today);

}  // namespace ordercheck
