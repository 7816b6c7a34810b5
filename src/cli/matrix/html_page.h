// Builds the HTML page of a matrix, from committed evidence (`show --format html`) or from a run (`run --report html=FILE`).
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "cli/matrix/matrix.h"
#include "matrix/plan_result.h"
#include "report/html/html.h"
#include "report/pages/sources.h"

namespace ordercheck::cli {

struct HtmlPage {
  Sources sources;
  std::filesystem::path templates;
};

// Loads everything that the page shows: rules, evidence, frameworks, page topics. Also an error if report_templates/ is
// missing.
Result<HtmlPage> html_page_of(const MatrixCommand& command);

// Replaces the page's committed evidence by the runs of `results`, for `matrix run --report html=FILE`.
Status put_into(HtmlPage& page, const std::vector<PlanResult>& results);

// Generates the repro scripts (plain PyTorch, without ordercheck) for the page's cases of the pytorch engine, with the
// interpreter `python`.
Result<ReproScripts> scripts_of(const HtmlPage& page, const MatrixCommand& command, const std::string& python);

// Renders the page. If `scripts` is null, each case shows the command that generates its script.
Result<std::string> render(const HtmlPage& page, const ReproScripts* scripts);

}  // namespace ordercheck::cli
