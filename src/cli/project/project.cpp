#include "cli/project/project.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/text.h"
#include "check/check.h"
#include "cli/command.h"
#include "cli/project/found_project.h"
#include "project/project_report.h"
#include "project/project_view.h"

namespace ordercheck::cli {
namespace {

Result<Report> judge(const ProjectStack& one, const Project& project, const Question& question, std::vector<Rule>& all_rules) {
  const std::string& target = question.target.empty() && question.python.empty() ? one.target : question.target;
  const auto asked = parse_target(target.empty() ? kUsualTarget : target);
  if (!asked) return asked.error();
  auto known = load_knowledge(question.rules, *asked);
  if (!known) return known.error();
  if (const Status added = add_own_rules(project, known->rules); !added) return added.error();
  const auto meant = target_for(target, question.python, *known);
  if (!meant) return meant.error();
  Report report = check(one.stack, Judge(known->rules, meant->target, known->observations, one.job));
  report.target_assumed = meant->assumed;
  all_rules = std::move(known->rules);
  return report;
}

std::string rendered(const ProjectReport& report, const std::string& format, const std::vector<Rule>& rules) {
  if (format == "json") return render_project_json(report);
  if (format == "sarif") return render_project_sarif(report, rules, ORDERCHECK_VERSION);
  if (format == "junit") return render_project_junit(report);
  if (format == "github") return render_project_github(report);
  return render_project_text(report);
}

// GitHub and code scanning count from the top of the repository, of which this folder may be a part. Where there is no repository
// the file is in its top folder.
std::string from_repository(const std::filesystem::path& file) {
  std::error_code failed;
  const auto whole = std::filesystem::weakly_canonical(std::filesystem::absolute(file, failed), failed);
  for (auto above = whole.parent_path(); above.has_relative_path(); above = above.parent_path())
    if (std::filesystem::exists(above / ".git", failed)) return whole.lexically_relative(above).generic_string();
  return file.filename().generic_string();
}

}  // namespace

const std::vector<std::string>& project_formats() {
  static const std::vector<std::string> all{"text", "json", "sarif", "junit", "github"};
  return all;
}

Result<int> check_project(const Question& question, const std::string& today, bool strict) {
  if (!question.job.sizes.empty() || !question.job.config.empty() || question.job.ranks > 0)
    return Error{fmt::format("--set, --config and --world are of one stack; give the sizes of those in {} there, in sizes",
                             kProjectFile)};
  const auto day = day_of(today);
  if (!day) return day.error();
  const auto project = read_project();
  if (!project) return project.error();
  std::vector<Rule> rules;
  std::vector<Report> reports;
  for (const ProjectStack& one : project->stacks) {
    auto report = judge(one, *project, question, rules);
    if (!report)
      return Error{fmt::format("{}:{}: stack '{}': {}", project->path, one.line, one_line(one.name), report.error().message)};
    reports.push_back(std::move(report).value());
  }
  if (const Status ids = check_allowed_rules(*project, rules); !ids) return ids.error();
  const ProjectReport report = judged(*project, std::move(reports), *day, from_repository(project->path));
  fmt::print("{}", rendered(report, question.format, rules));
  const bool against = errors_of(report) > 0 || (strict && advice_of(report) > 0);
  return against ? kDecidedAgainst : kNothingAgainst;
}

}  // namespace ordercheck::cli
