// Renders the HTML report of a matrix: one file with all evidence, which opens from disk and makes no network requests.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/pages/sources.h"
#include "stack/case.h"

namespace ordercheck {

// The scripts of `ordercheck repro` for the cases of a page. Scripts share most of their text, so each piece is stored once.

struct ReproScript {
  std::vector<std::size_t> pieces;  // indices of the pieces that make up the script, in order
  std::string declined;             // why there is no script; "" if there is one
};

struct ReproScripts {
  std::vector<std::string> pieces;               // unique
  std::map<std::string, ReproScript> by_case{};  // by the printed case, as in cases_to_reproduce
};

// Whether a repro script can demonstrate the verdict: differs, fails, hangs or unstable. Equal, close and unrun cases have
// nothing to show. For `ignored` a script does not help, because it compares numbers and counts nothing.
bool is_worth_a_script(Verdict verdict);

// The cases in the engine's evidence that are worth a script, as arguments of `ordercheck repro`, unique and sorted by text.
std::vector<Case> cases_to_reproduce(const Sources& sources, const std::string& engine);

// Renders the page. Same sources and templates, same bytes. To render an uncommitted run, add its table to `sources.evidence`
// and its observations to `sources.observations`.
// - scripts: those of cases_to_reproduce. If null, each case shows the command that generates its script.
// - templates: the folder report_templates/html.
Result<std::string> render_html(const Sources& sources, const ReproScripts* scripts, const std::filesystem::path& templates);

}  // namespace ordercheck
