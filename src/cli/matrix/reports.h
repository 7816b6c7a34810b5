// What a matrix is told in to others than the one who ran it: --report FORMAT=FILE, and show --format.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/ci/matrix_report.h"
#include "rule/rule.h"

namespace ordercheck::cli {

struct TextReport {
  const char* name;  // "junit"
  std::string (*render)(const std::vector<ReportedBuild>& builds, const std::vector<Rule>& rules);
};
const TextReport* find_text_report(const std::string& name);  // null when there is none

// Those, and the page that html_page.h draws.
std::vector<std::string> names_of_reports();

// --report as it was written: "junit=out/matrix.xml".
struct ReportWish {
  const TextReport* format = nullptr;  // null for the HTML page
  std::string file;
};
// Also an error: two reports for one file, or a folder that cannot be written to, before anything ran.
Result<std::vector<ReportWish>> report_wishes(const std::vector<std::string>& written);

// Every file is replaced whole; one that cannot be does not keep the others back, and the first error is returned. `page` draws
// the HTML page, and is only called where one is wished for.
Status write_reports(const std::vector<ReportWish>& wishes, const std::vector<ReportedBuild>& builds,
                     const std::vector<Rule>& rules, const std::function<Result<std::string>()>& page);

}  // namespace ordercheck::cli
