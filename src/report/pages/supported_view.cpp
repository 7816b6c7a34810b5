#include "report/pages/supported_view.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "base/wording.h"

namespace ordercheck {
namespace {

constexpr const char* kEveryEngine = "math";  // in `holds`

// The oldest version that a rule names for each project, except rules about one implementation; nullopt if none is a release.
std::map<std::string, std::optional<Version>> oldest_named(const std::vector<Rule>& rules) {
  std::map<std::string, std::optional<Version>> oldest;
  for (const Rule& rule : rules)
    for (const Holds& holds : rule.holds) {
      std::optional<Version>& known = oldest[holds.project];
      if (!holds.implementation.empty()) continue;
      for (const VersionBound& bound : holds.bounds) {
        const bool is_lower =
            bound.relation == Relation::at_least || bound.relation == Relation::above || bound.relation == Relation::exactly;
        if (is_lower && names_a_release(bound.version) && (!known || bound.version < *known)) known = bound.version;
      }
    }
  return oldest;
}

// The versions that ran, per device.
std::string runs_of(const std::string& project, const std::vector<EngineRuns>& engines) {
  std::vector<std::string> devices;
  for (const auto& versions : by_engine(engines)) {
    if (versions.front()->target.project != project) continue;
    std::vector<std::string> names;
    for (const EngineRuns* engine : versions) names.push_back(print_version(*engine));
    const EngineRuns& first = *versions.front();
    devices.push_back(enumerated(names) + (decides(first.table) ? "" : fmt::format(" ({})", first.table.device)));
  }
  return devices.empty() ? "none" : join(devices, "; ");
}

}  // namespace

std::vector<SupportedProject> supported_projects(const Sources& sources, const std::vector<EngineRuns>& engines) {
  const auto oldest = oldest_named(sources.rules);
  std::vector<std::string> projects;
  for (const auto& [project, version] : oldest)
    if (project != kEveryEngine && project != sources.definition) projects.push_back(project);
  const auto rank = [&](const std::string& project) {
    const auto runs = std::ranges::count(engines, project, [](const EngineRuns& one) { return one.target.project; });
    return project == sources.reader ? std::numeric_limits<std::ptrdiff_t>::min() : -runs;
  };
  std::ranges::stable_sort(projects, {}, rank);
  std::vector<SupportedProject> rows;
  for (const std::string& project : projects) {
    const auto& version = oldest.at(project);
    rows.push_back({.project = project,
                    .runs = runs_of(project, engines),
                    .rules = version ? fmt::format("{} or newer", print(*version)) : "any version"});
  }
  return rows;
}

std::string imported_sources(const std::vector<Framework>& imported) {
  std::set<std::string> names;
  for (const Framework& one : imported)
    names.insert(fmt::format("{}{}", split(one.source, ',').front(), one.date.empty() ? "" : " (" + one.date + ")"));
  return enumerated({names.begin(), names.end()});
}

}  // namespace ordercheck
