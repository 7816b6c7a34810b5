// The HTML page of a matrix: of what is committed (`show --format html`), and of what a run saw (`run --report html=FILE`).
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "cli/matrix/matrix.h"
#include "plan/result.h"
#include "report/html/html.h"
#include "report/pages/sources.h"

namespace ordercheck::cli {

struct HtmlPage {
  Sources sources;
  std::filesystem::path templates;
};

// What lies beside the rules: frameworks and pages are shown with the runs. Also an error: templates that are not there.
Result<HtmlPage> html_page_of(const MatrixCommand& command);

// With only the runs of `results` for evidence.
Status put_into(HtmlPage& page, const std::vector<PlanResult>& results);

// Those of its cases that ran in an interpreter, written by the driver in `python`.
Result<ReproScripts> scripts_of(const HtmlPage& page, const MatrixCommand& command, const std::string& python);

// The bytes. Without scripts a case says how to get one.
Result<std::string> render(const HtmlPage& page, const ReproScripts* scripts);

}  // namespace ordercheck::cli
