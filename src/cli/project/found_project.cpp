#include "cli/project/found_project.h"

#include <algorithm>
#include <cctype>
#include <ctime>
#include <filesystem>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/settings/project_notes.h"
#include "cli/settings/project_report.h"
#include "rules/load.h"
#include "stack/transforms.h"

namespace ordercheck::cli {
namespace {

namespace fs = std::filesystem;

std::string day_of_this_machine() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

// The id in capitals, if that is known.
std::string as_known(const std::string& id, const std::vector<std::string>& ids) {
  std::string capitals = id;
  std::ranges::transform(capitals, capitals.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return contains(ids, capitals) ? capitals : id;
}

}  // namespace

std::optional<fs::path> find_project_file() {
  std::error_code failed;
  const fs::path here = fs::current_path(failed);
  // The relative path from here, for errors and reports.
  fs::path way;
  for (fs::path folder = here;; folder = folder.parent_path(), way /= "..") {
    if (fs::is_regular_file(folder / kProjectFile, failed)) return way / kProjectFile;
    if (fs::is_regular_file(folder / kPythonProject, failed))
      if (const auto text = read_file(folder / kPythonProject); text && has_project_table(*text)) return way / kPythonProject;
    if (folder == folder.root_path() || folder.empty()) return std::nullopt;
  }
}

Result<Project> read_project_file(const fs::path& file) {
  const auto text = read_file(file);
  if (!text) return text.error();
  return parse_project(*text, file.generic_string());
}

Result<Project> read_project(const std::string& named) {
  const auto file = named.empty() ? find_project_file() : std::optional<fs::path>(named);
  if (!file)
    return Error{fmt::format(
        "no stack was given, and there is no {}, and no {} with [tool.ordercheck], here or in a folder above; name a stack, or "
        "write one of them",
        kProjectFile, kPythonProject)};
  auto project = read_project_file(*file);
  if (project && project->stacks.empty())
    return Error{fmt::format("{}: there is no stack; write one as [[{}stack]] with the keys 'name' and 'stack'", project->path,
                             file->filename() == kPythonProject ? "tool.ordercheck." : "")};
  return project;
}

Status add_own_rules(const Project& project, std::vector<Rule>& rules) {
  for (const std::string& folder : project.rules) {
    const auto own = load_rules(fs::path(project.path).parent_path() / folder);
    if (!own) return own.error();
    for (const Rule& rule : *own) {
      if (const Rule* there = find_rule(rules, rule.id); there != nullptr)
        return Error{fmt::format("{}: id {} is taken by {}; give your rule another", rule.file, rule.id, there->file)};
      rules.push_back(rule);
    }
  }
  return Done{};
}

std::vector<EngineSpec> importing_from(const fs::path& folder, std::vector<EngineSpec> specs) {
  if (folder.empty()) return specs;  // the current folder, which Python searches anyway
  std::error_code failed;
  const std::string whole = fs::weakly_canonical(fs::absolute(folder, failed), failed).string();
  for (EngineSpec& spec : specs)
    for (std::string& variable : spec.environment)
      if (variable.starts_with("PYTHONPATH=")) variable += ":" + whole;
  return specs;
}

Status check_allowed_rules(const Project& project, const std::vector<Rule>& rules) {
  std::vector<std::string> ids;
  for (const Rule& rule : rules) ids.push_back(rule.id);
  for (const TransformInfo& transform : transforms()) ids.push_back(kUnknownPrefix + transform.name);
  ids.emplace_back(kWrongRun);
  for (const Allow& allow : project.allows) {
    if (allow.covers > 0 && allow.rule.starts_with(kUnknownPrefix))
      return Error{
          fmt::format("{}:{}: '{}' says that nothing is known of a transform, which a comment cannot decide; write an "
                      "[[allow]] with 'until' in {}",
                      allow.file, allow.line, one_line(allow.rule), kProjectFile)};
    if (!contains(ids, allow.rule))
      return Error{fmt::format("{}:{}: no rule has the id '{}'; {}", allow.file, allow.line, one_line(allow.rule),
                               did_you_mean(as_known(allow.rule, ids), ids, "`ordercheck rules` lists them: "))};
  }
  return Done{};
}

void leave_out_unasked(Project& project, const RuleSelection& asked) {
  std::erase_if(project.allows,
                [&](const Allow& allow) { return !allow.rule.starts_with(kUnknownPrefix) && !asked.has(allow.rule); });
}

Result<std::string> day_of(const std::string& today) {
  if (today.empty()) return day_of_this_machine();
  if (constexpr std::size_t kDay = 10; is_date(today) && today.size() == kDay) return today;
  return Error{fmt::format("--today {}: expected YYYY-MM-DD", one_line(today))};
}

}  // namespace ordercheck::cli
