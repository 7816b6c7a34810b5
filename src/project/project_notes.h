// What a report of a project says, one note at a line of a file, whatever the format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "project/project_file.h"
#include "project/project_report.h"

namespace ordercheck {

struct ProjectNote {
  std::string rule;
  Severity severity = Severity::error;
  Origin where;                    // as a terminal here would open it
  std::string stack;               // the stack's name, "" of an entry
  std::vector<std::string> lines;  // what is wrong, why, and what to try
  std::string fingerprint;
};

inline constexpr const char* kExpired = "expired-allow";
inline constexpr const char* kIdle = "idle-allow";
inline constexpr const char* kNotUnderstood = "not-understood";  // a call of scanned code, or a file of it

std::vector<ProjectNote> notes_of(const ProjectReport& report);
// Of code: a finding that several stacks of a function share is one note.
std::vector<ProjectNote> notes_once_a_function(const ProjectReport& report);

std::string message_of(const ProjectNote& note);  // its lines as one

Origin place_of(const ProjectReport& report, const ProjectStack& entry);
// Of code, the call that comes last of those that are at odds; else where the stack is written.
Origin place_of(const ProjectReport& report, const StackReport& one, const Finding& finding);
// As what reads a report elsewhere counts it.
std::string in_repository(const ProjectReport& report, const Origin& where);

// "2 stacks: 1 error, 0 advisories", for these notes.
std::string summary_of(const ProjectReport& report, const std::vector<ProjectNote>& notes);

// What an [[allow]] entry of .ordercheck.toml is about, and until when.

// Whether the entry speaks of that rule in the stack of that name.
bool is_about(const Allow& allow, std::string_view stack, std::string_view rule);

// Its last day is before `today`, 2026-11-23.
bool has_expired(const Allow& allow, std::string_view today);

// The first entry about it that has not expired; else the first that has; null where there is none.
const Allow* allowance_for(const Project& project, std::string_view stack, std::string_view rule, std::string_view today);

}  // namespace ordercheck
