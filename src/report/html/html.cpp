#include "report/html/html.h"

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "report/html/html_data.h"
#include "report/pages/template.h"

namespace ordercheck {
namespace {

namespace fs = std::filesystem;

// In load order: later scripts use earlier ones, and main.js draws the page.
constexpr const char* kScripts[] = {"dom.js",      "data.js",   "text.js",   "copy.js",  "graph.js",
                                    "heat.js",     "answer.js", "runs.js",   "order.js", "filter.js",
                                    "versions.js", "rules.js",  "script.js", "case.js",  "main.js"};

// "</script" and "<!--" would change how HTML parses the script, so write '<' as a JSON escape. Replaces invalid UTF-8, which
// an engine's message may contain.
std::string inside_script(const nlohmann::ordered_json& data) {
  const std::string text = data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  }
  return safe;
}

}  // namespace

Result<std::string> render_html(const Sources& sources, const ReproScripts* scripts, const fs::path& templates) {
  const auto page = read_file(templates / "page.html");
  if (!page) return page.error();
  const auto style = read_file(templates / "style.css");
  if (!style) return style.error();
  std::string script;
  for (const char* name : kScripts) {
    const auto text = read_file(templates / name);
    if (!text) return text.error();
    script += *text;
  }
  return render_template(*page, {{"style", *style}, {"script", script}, {"data", inside_script(html_data(sources, scripts))}},
                         "report_templates/html/page.html");
}

bool is_worth_a_script(Verdict verdict) {
  switch (verdict) {
    case Verdict::differs:
    case Verdict::fails:
    case Verdict::hangs:
    case Verdict::unstable: return true;
    default: return false;
  }
}

std::vector<Case> cases_to_reproduce(const Sources& sources, const std::string& engine) {
  std::map<std::string, Case> found;
  for (const EvidenceTable& table : sources.evidence) {
    if (table.engine != engine || !decides(table)) continue;
    for (const Observation& row : table.rows) {
      if (!is_worth_a_script(row.verdict)) continue;
      auto c = parse_case(row.case_text);
      if (!c) continue;
      Case written = with_usual_arithmetic(*std::move(c));
      std::string text = print(written);
      found.emplace(std::move(text), std::move(written));
    }
  }
  std::vector<Case> cases;
  for (auto& [text, one] : found) cases.push_back(std::move(one));
  return cases;
}

}  // namespace ordercheck
