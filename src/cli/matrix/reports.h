// Writes reports of a matrix for CI systems and readers: --report FORMAT=FILE, and show --format.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/ci/matrix_report.h"
#include "rules/rule.h"

namespace ordercheck::cli {

struct TextReport {
  const char* name;  // "junit"
  std::string (*render)(const std::vector<ReportedBuild>& builds, const std::vector<Rule>& rules);
};
const TextReport* find_text_report(const std::string& name);  // nullptr if unknown

// The text reports, and the HTML page of html_page.h.
std::vector<std::string> names_of_reports();

// A --report option: "junit=out/matrix.xml".
struct ReportWish {
  const TextReport* format = nullptr;  // nullptr for the HTML page
  std::string file;
};
// Parses the --report options, before any case runs. Also an error if two reports have one file, or if a folder cannot be
// written.
Result<std::vector<ReportWish>> report_wishes(const std::vector<std::string>& written);

// Writes the requested reports, each file atomically. A failure does not stop the other reports; the first error is returned.
// `page` renders the HTML page and is called only if it is requested.
Status write_reports(const std::vector<ReportWish>& wishes, const std::vector<ReportedBuild>& builds,
                     const std::vector<Rule>& rules, const std::function<Result<std::string>()>& page);

}  // namespace ordercheck::cli
