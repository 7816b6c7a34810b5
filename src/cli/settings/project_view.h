// Renders a ProjectReport, the check of a user's repository, as text, JSON and in CI formats.
#pragma once

#include <string>
#include <vector>

#include "cli/settings/project_report.h"
#include "rules/rule.h"

namespace ordercheck {

// Findings as file:line, then a line of counts.
std::string render_project_text(const ProjectReport& report);

// One line per stack and per expired or unused [[allow]] entry, then a line of counts.
std::string render_project_briefly(const ProjectReport& report);

// For scanned code: at most three lines per finding, each once per function, and one line for everything not judged.
std::string render_code_text(const ProjectReport& report);

// One line per finding, "train.py:12:1: ORD-004 error: headline", for editors and grep. A stack without a file is named instead
// of a place. Then what is suppressed and not asked, and a line of counts.
std::string render_project_concise(const ProjectReport& report);

// One line per rule, most findings first: number, id, severity, title. Then like render_project_concise.
std::string render_project_statistics(const ProjectReport& report, const std::vector<Rule>& rules);

std::string render_project_json(const ProjectReport& report);

// One test case per stack: it fails with an error, with all findings as detail, and passes with advice.
std::string render_project_junit(const ProjectReport& report);

std::string render_project_sarif(const ProjectReport& report, const std::vector<Rule>& rules, const std::string& version);

// Workflow commands, ::error file=,line=,title=::message, which GitHub shows at the line.
std::string render_project_github(const ProjectReport& report);

}  // namespace ordercheck
