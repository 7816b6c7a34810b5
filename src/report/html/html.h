// One HTML file with everything that the evidence shows: opens from disk, asks no network for anything.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "report/html/repro_scripts.h"
#include "report/pages/sources.h"

namespace ordercheck {

// `scripts`: of cases_to_reproduce; null where nobody was asked for them, and then a case says how to get one.
// `templates`: the folder report_templates/html. The page of a run that is not committed: put its table into
// `sources.evidence` and its observations into `sources.observations`. Same sources and templates, same bytes.
Result<std::string> render_html(const Sources& sources, const ReproScripts* scripts, const std::filesystem::path& templates);

}  // namespace ordercheck
