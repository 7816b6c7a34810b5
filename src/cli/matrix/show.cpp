// ordercheck matrix show: prints the committed evidence.
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/wording.h"
#include "cli/command.h"
#include "cli/matrix/html_page.h"
#include "cli/matrix/matrix.h"
#include "cli/matrix/reports.h"
#include "cli/shared/format_option.h"
#include "matrix/knowledge.h"
#include "record/engine_sources.h"
#include "record/evidence_table.h"
#include "report/text/summary.h"
#include "report/text/tally_json.h"

namespace ordercheck::cli {
namespace {

namespace fs = std::filesystem;

Result<int> run_show_html(const MatrixCommand& command) {
  if (command.out.empty()) return Error{"--format html: say where it goes; add --out FILE, for example --out report.html"};
  const auto page = html_page_of(command);
  if (!page) return page.error();
  if (page->sources.evidence.empty()) return Error{"no evidence to show; `ordercheck matrix run --write` writes it"};
  std::optional<ReproScripts> scripts;
  if (!command.python.empty()) {
    auto written = scripts_of(*page, command, command.python);
    if (!written) return written.error();
    scripts = *std::move(written);
  }
  const auto text = render(*page, scripts ? &*scripts : nullptr);
  if (!text) return text.error();
  if (const auto written = replace_file(command.out, *text); !written) return written.error();
  std::size_t cases = 0;
  for (const EvidenceTable& table : page->sources.evidence) cases += table.rows.size();
  fmt::print("wrote {}: {}, {:.1f} MB\n", command.out, counted(cases, "case"), static_cast<double>(text->size()) / 1e6);
  return kNothingAgainst;
}

std::string as_text(const std::vector<EvidenceTable>& tables, const fs::path& matrix, const std::vector<EngineFile>& engines) {
  std::string text;
  for (const EvidenceTable& table : tables) {
    EvidenceTable marked = table;
    const std::string hash = hash_of_driver(matrix, engines, table);
    for (Observation& row : marked.rows)
      if (is_stale(row, hash)) row.case_text += " (run by another driver than today's)";
    text += render_evidence_text(marked);
  }
  return text;
}

std::string evidence_json(const std::vector<EvidenceTable>& tables, const fs::path& matrix,
                          const std::vector<EngineFile>& engines) {
  using Json = nlohmann::ordered_json;
  Json made = Json::array();
  for (const EvidenceTable& table : tables) {
    const std::string hash = hash_of_driver(matrix, engines, table);
    Json rows = Json::array();
    for (const Observation& row : table.rows)
      rows.push_back({{"case", row.case_text},
                      {"verdict", name_of(row.verdict)},
                      {"phase", row.phase ? Json(name_of(*row.phase)) : Json(nullptr)},
                      {"reason", reason_of(row)},
                      {"stale", is_stale(row, hash)}});
    made.push_back({{"engine", table.engine},
                    {"versions", table.versions},
                    {"device", table.device},
                    {"arithmetic", table.arithmetic},
                    {"controls", json_of(table.controls)},
                    {"rows", rows}});
  }
  const Json whole{{"schema", "ordercheck/matrix-show/1"}, {"tables", made}};
  return whole.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Compares the committed evidence with the current rules and renders the result in a report format (junit, sarif, ...).
Result<std::string> as_report(const TextReport& format, const std::string& rules_folder,
                              const std::vector<EvidenceTable>& tables) {
  auto knowledge = load_knowledge(rules_folder);
  if (!knowledge) return knowledge.error();
  Sources sources;
  sources.rules = std::move(knowledge->rules);
  sources.evidence = tables;
  std::vector<ReportedBuild> builds;
  for (const EngineRuns& runs : engine_runs_of(sources)) builds.push_back(reported(runs));
  return format.render(builds, sources.rules);
}

Result<int> run_show(const MatrixCommand& command) {
  if (command.format == "html") return run_show_html(command);
  if (!command.python.empty())
    return Error{"--python writes the scripts of the HTML page; add --format html, or leave --python out"};
  const auto folder = matrix_folder(command);
  if (!folder) return folder.error();
  const auto tables = read_evidence(*folder / "evidence");
  if (!tables) return tables.error();
  if (tables->empty())
    return Error{fmt::format("no evidence in {}; `ordercheck matrix run --write` writes it", (*folder / "evidence").string())};
  const auto engines = load_engine_files(*folder / "engines");
  if (!engines) return engines.error();
  const TextReport* format = find_text_report(command.format);
  const auto text = format != nullptr          ? as_report(*format, command.rules, *tables)
                    : command.format == "json" ? Result<std::string>(evidence_json(*tables, *folder, *engines))
                                               : Result<std::string>(as_text(*tables, *folder, *engines));
  if (!text) return text.error();
  if (command.out.empty())
    fmt::print("{}", *text);
  else if (const Status written = replace_file(command.out, *text); !written)
    return written.error();
  return kNothingAgainst;
}

}  // namespace

void add_matrix_show(CLI::App& matrix, const std::shared_ptr<MatrixCommand>& options, int& exit_code) {
  CLI::App* show = matrix.add_subcommand("show", "Print the committed evidence, or a report of it");
  add_folders(show, *options);
  std::vector<std::string> formats = names_of_reports();
  formats.insert(formats.begin(), {"text", "json"});
  show->add_option("--format", options->format, "text, json, or a report format; html is a single page")
      ->check(CLI::IsMember(formats))
      ->capture_default_str();
  add_json_flag(*show, options->format);
  show->add_option("--out", options->out, "Write to this file instead of stdout");
  show->add_option("--python", options->python, "A Python with torch >= 2.6; the HTML page then includes repro scripts");
  show_examples(*show, {"matrix show", "matrix show --format html --out report.html --python python3",
                        "matrix show --format markdown --out summary.md"});
  show->callback([options, &exit_code] { exit_code = ended("matrix", run_show(*options)); });
}

}  // namespace ordercheck::cli
