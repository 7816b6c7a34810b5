// The check of a user's repository in every format that its CI reads.
#pragma once

#include <string>
#include <vector>

#include "project/project_report.h"
#include "rule/rule.h"

namespace ordercheck {

// Findings as file:line, then a line that counts them.
std::string render_project_text(const ProjectReport& report);

// A line a stack, a line for each entry of [[allow]] that has expired or allows nothing, then the line that counts all.
std::string render_project_briefly(const ProjectReport& report);

// Of scanned code: at most three lines a finding, each once a function, and one line for all that was not judged.
std::string render_code_text(const ProjectReport& report);

std::string render_project_json(const ProjectReport& report);

// A stack a test case: one with an error fails, with all its findings as detail; one with advice passes.
std::string render_project_junit(const ProjectReport& report);

std::string render_project_sarif(const ProjectReport& report, const std::vector<Rule>& rules, const std::string& version);

// Workflow commands, ::error file=,line=,title=::message: GitHub shows them at the line.
std::string render_project_github(const ProjectReport& report);

}  // namespace ordercheck
