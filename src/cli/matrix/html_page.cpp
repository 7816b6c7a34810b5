#include "cli/matrix/html_page.h"

#include <algorithm>
#include <utility>

#include "base/file.h"
#include "cli/shared/repro_script.h"
#include "matrix/knowledge.h"
#include "report/html/html.h"
#include "rules/observations.h"

namespace ordercheck::cli {
namespace fs = std::filesystem;

Result<HtmlPage> html_page_of(const MatrixCommand& command) {
  const auto folders = find_folders(command.rules, command.folder);
  if (!folders) return folders.error();
  const fs::path root = beside(folders->rules, "").parent_path();
  const fs::path templates = root / "report_templates" / "html";
  if (const auto first = read_file(templates / "page.html"); !first) return first.error();
  auto sources = load_sources(*folders);
  if (!sources) return sources.error();
  return HtmlPage{.sources = *std::move(sources), .templates = templates};
}

Status put_into(HtmlPage& page, const std::vector<PlanResult>& results) {
  Sources& sources = page.sources;
  sources.evidence.clear();
  // Convert through the evidence format, so that the page of a run equals the page of its evidence after `--write`.
  for (const PlanResult& result : results) {
    const EvidenceTable seen = evidence_of(result);
    auto table = parse_evidence(print_evidence(seen), evidence_path("", seen).string());
    if (!table) return table.error();
    sources.evidence.push_back(*std::move(table));
  }
  std::ranges::sort(sources.evidence, {}, [](const EvidenceTable& table) { return evidence_path("", table); });
  sources.observations = observations_of(sources.evidence);
  return Done{};
}

Result<ReproScripts> scripts_of(const HtmlPage& page, const MatrixCommand& command, const std::string& python) {
  const auto known = known_engines(command.rules);
  if (!known) return known.error();
  const auto file = engine_in_interpreter(*known);
  if (!file) return file.error();
  const std::vector<Case> cases = cases_to_reproduce(page.sources, file->name);
  if (cases.empty()) return ReproScripts{};
  const auto engine = engine_spec(*file, python);
  if (!engine) return engine.error();
  return repro_scripts(cases, *engine);
}

Result<std::string> render(const HtmlPage& page, const ReproScripts* scripts) {
  return render_html(page.sources, scripts, page.templates);
}

}  // namespace ordercheck::cli
