// One HTML file with everything that the evidence shows: opens from disk, asks no network for anything.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/pages/sources.h"
#include "stack/case.h"

namespace ordercheck {

// The scripts of `ordercheck repro` for the cases of a page: nearly all of one is in every other, so each text is held once.

struct ReproScript {
  std::vector<std::size_t> pieces;  // indices: these make the script, one behind the other
  std::string declined;             // why there is none; "" where there is one
};

struct ReproScripts {
  std::vector<std::string> pieces;               // each once
  std::map<std::string, ReproScript> by_case{};  // by the printed case, as cases_to_reproduce gave it
};

// What ran equal or close has nothing to show to others, and what was not run has shown nothing. That a transform has no effect, a
// script does not show: it compares numbers and counts nothing.
bool is_worth_a_script(Verdict verdict);

// Of that engine's evidence, as `ordercheck repro` takes them, each once, sorted by text.
std::vector<Case> cases_to_reproduce(const Sources& sources, const std::string& engine);

// `scripts`: of cases_to_reproduce; null where nobody was asked for them, and then a case says how to get one.
// `templates`: the folder report_templates/html. The page of a run that is not committed: put its table into
// `sources.evidence` and its observations into `sources.observations`. Same sources and templates, same bytes.
Result<std::string> render_html(const Sources& sources, const ReproScripts* scripts, const std::filesystem::path& templates);

}  // namespace ordercheck
