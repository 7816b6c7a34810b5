#include "cli/matrix/reports.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "report/ci/job_summary.h"
#include "report/ci/junit.h"
#include "report/ci/sarif.h"

namespace ordercheck::cli {
namespace {

std::string junit_text(const std::vector<ReportedBuild>& builds, const std::vector<Rule>&) {
  return render_junit(junit_of(builds));
}

std::string sarif_text(const std::vector<ReportedBuild>& builds, const std::vector<Rule>& rules) {
  return render_sarif(sarif_of(builds, rules), rules, own_rules_of_a_matrix(), ORDERCHECK_VERSION);
}

std::string markdown_text(const std::vector<ReportedBuild>& builds, const std::vector<Rule>&) {
  return render_job_summary(builds);
}

constexpr TextReport kTextReports[] = {{"junit", junit_text}, {"sarif", sarif_text}, {"markdown", markdown_text}};
constexpr const char* kHtml = "html";

// Check early, so that a run of hours does not end with a report that cannot be written.
Status check_place_of(const std::filesystem::path& file) {
  std::error_code failed;
  const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  if (std::filesystem::is_directory(file, failed)) return Error{fmt::format("{} is a folder; name a file", file.string())};
  if (!std::filesystem::is_directory(folder, failed))
    return Error{fmt::format("there is no folder {}; make it, or name another file", folder.string())};
  if (access(folder.c_str(), W_OK) != 0)
    return Error{fmt::format("cannot write into {}: {}", folder.string(), std::strerror(errno))};
  return Done{};
}

}  // namespace

const TextReport* find_text_report(const std::string& name) {
  const auto found = std::ranges::find_if(kTextReports, [&](const TextReport& format) { return name == format.name; });
  return found == std::end(kTextReports) ? nullptr : &*found;
}

std::vector<std::string> names_of_reports() {
  std::vector<std::string> names{kHtml};
  for (const TextReport& format : kTextReports) names.emplace_back(format.name);
  return names;
}

Result<std::vector<ReportWish>> report_wishes(const std::vector<std::string>& written) {
  std::vector<ReportWish> wishes;
  for (const std::string& one : written) {
    const auto sign = one.find('=');
    if (sign == std::string::npos || sign == 0 || sign + 1 == one.size())
      return Error{fmt::format("--report {}: expected FORMAT=FILE, such as junit=ordercheck.xml", one_line(one))};
    const std::string name = one.substr(0, sign), file = one.substr(sign + 1);
    const TextReport* format = find_text_report(name);
    if (format == nullptr && name != kHtml)
      return Error{fmt::format("--report {}: unknown format '{}'; {}", one_line(one), one_line(name),
                               did_you_mean(name, names_of_reports()))};
    if (std::ranges::count(wishes, file, &ReportWish::file) > 0)
      return Error{fmt::format("--report {}: {} is written by another --report too", one_line(one), file)};
    if (const Status place = check_place_of(file); !place)
      return Error{fmt::format("--report {}: {}", one_line(one), place.error().message)};
    wishes.push_back({format, file});
  }
  return wishes;
}

Status write_reports(const std::vector<ReportWish>& wishes, const std::vector<ReportedBuild>& builds,
                     const std::vector<Rule>& rules, const std::function<Result<std::string>()>& page) {
  Status first = Done{};
  for (const ReportWish& wish : wishes) {
    const auto text = wish.format == nullptr ? page() : Result<std::string>(wish.format->render(builds, rules));
    const Status written = text ? replace_file(wish.file, *text) : Status(text.error());
    if (!written && first) first = written;
  }
  return first;
}

}  // namespace ordercheck::cli
