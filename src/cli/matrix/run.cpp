// ordercheck matrix run: runs the cases and compares them with predictions and committed evidence.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "base/wording.h"
#include "cli/command.h"
#include "cli/matrix/html_page.h"
#include "cli/matrix/matrix.h"
#include "cli/matrix/reports.h"
#include "cli/shared/engine_session.h"
#include "cli/shared/format_option.h"
#include "cli/shared/numbers.h"
#include "matrix/knowledge.h"
#include "record/evidence_diff.h"
#include "report/text/builds_beside.h"
#include "report/text/summary.h"

namespace ordercheck::cli {
namespace {

namespace fs = std::filesystem;

// The committed table of the same engine, build and arithmetic.
Result<EvidenceTable> committed_table(const fs::path& folder, const EvidenceTable& head) {
  const auto tables = read_evidence(folder);
  if (!tables) return tables.error();
  const fs::path path = evidence_path(folder, head);
  for (const EvidenceTable& table : *tables)
    if (evidence_path(folder, table) == path) return table;
  return Error{fmt::format("there is no {} to check against; `ordercheck matrix run --write` writes it", path.string())};
}

// A partial run (--only, --shard, a tier other than full) updates its rows in the committed table and keeps the others.
Status write_seen(const fs::path& folder, const EvidenceTable& seen, bool whole) {
  if (whole || !fs::exists(evidence_path(folder, seen))) return write_evidence(folder, seen);
  auto table = committed_table(folder, seen);
  if (!table) return table.error();
  return write_evidence(folder, with_part(std::move(table).value(), seen));
}

// `begun` holds the journals of this command. A journal that an earlier interpreter wrote to is continued, not restarted.
Status prepare(const MatrixCommand& command, EngineRunner& runner, std::set<fs::path>& begun) {
  fs::path journal = command.journal;
  if (journal.empty()) {
    auto standard = default_journal(runner.hello());
    if (!standard) return standard.error();
    journal = *standard;
  }
  // With --check, do not reuse records of earlier commands from the journal.
  const bool fresh = (command.fresh || command.check) && begun.insert(journal).second;
  return runner.resume_from(journal, fresh);
}

void tell_what_was_taken(const EngineRunner& runner) {
  if (runner.from_journal() == 0) return;
  const Hello& hello = runner.hello();
  fmt::print(stderr,
             "ordercheck matrix: {} of {} taken from the journal of earlier runs of this build ({}, program {}) in {}; "
             "--fresh runs all anew\n",
             runner.from_journal(), counted(runner.delivered(), "run"), join(hello.versions, ", "),
             std::string_view(hello.content_hash).substr(0, 12), runner.journal_path().string());
}

// Whether a control makes the command fail: one that did not hold or, in a run of the whole matrix, one that no case could
// decide.
bool controls_speak_against(const PlanResult& result, bool whole) {
  return std::ranges::any_of(result.controls, [&](const Control& one) { return one.judged ? !one.held : whole; });
}

int exit_code_of_plan(const PlanResult& result, bool whole, std::size_t changed) {
  const Tally tally = tally_of(result);
  if (tally.contradictions > 0 || controls_speak_against(result, whole) || changed > 0) return kDecidedAgainst;
  return tally.undecided > 0 || result.cases.empty() ? kUndecided : kNothingAgainst;
}

// The result of one interpreter, or the exit code of a failure that was already reported.
struct RanPlan {
  std::optional<PlanResult> result;
  std::vector<Rule> rules;
  std::string departures;  // differences from the committed evidence, with --check
  int exit_code = kNothingAgainst;
};

Result<RanPlan> run_on(const EngineSpec& spec, const MatrixCommand& command, std::set<fs::path>& begun) {
  auto session = EngineSession::start(spec, command.jobs, timeout_of(command.engine, spec));
  if (!session) return session.error();
  EngineRunner& runner = (*session)->runner();
  const auto planned = plan_of(command, runner.hello());
  if (!planned) return planned.error();
  const fs::path evidence = planned->folder / "evidence";
  if (command.write) {
    if (const auto writable = check_writable(evidence); !writable) return writable.error();
  }
  std::optional<EvidenceTable> committed;
  if (command.check) {
    auto table = committed_table(evidence, head_of(runner.hello(), arithmetic_of(command)));
    if (!table) return table.error();
    committed = std::move(table).value();
  }
  if (const auto ready = prepare(command, runner, begun); !ready) return ready.error();

  const auto engines = load_engine_files(planned->folder / "engines");
  if (!engines) return engines.error();
  const std::string driver = hash_of_driver(planned->folder, *engines, head_of(runner.hello(), arithmetic_of(command)));
  RunOptions options;
  if (committed && !command.write)  // what is written has run twice
    for (const Observation& row : committed->rows)
      if (row.verdict != Verdict::unstable) options.recorded_digests[row.case_text] = row.digest;
  auto result = (*session)->run(planned->plan, planned->rules, std::move(options));
  tell_what_was_taken(runner);
  if (!result)
    return RanPlan{.result = {}, .rules = {}, .departures = "", .exit_code = undecided("matrix", result.error().message)};
  EvidenceTable seen = evidence_of(*result);
  // Store the driver's hash, so that a later change of the driver marks these rows as stale.
  for (Observation& row : seen.rows) row.sources = driver;
  std::vector<std::string> changed;
  if (committed) changed = changes(*committed, seen, planned->whole);
  std::string departures;
  for (const auto& line : changed) departures += line + "\n";
  if (!changed.empty())
    departures += fmt::format("departs from {}; `ordercheck matrix run --write` commits to what was seen\n",
                              evidence_path(evidence, seen).string());
  int exit_code = exit_code_of_plan(*result, planned->whole, changed.size());
  if (!command.out.empty()) {
    EvidenceTable part = seen;
    part.shard = command.shard;
    if (const auto written = replace_file(command.out, print_evidence(part)); !written)
      exit_code = bad_input("matrix", written.error().message);
  }
  if (command.write)
    if (const auto written = write_seen(evidence, seen, planned->whole); !written)
      exit_code = bad_input("matrix", written.error().message);
  return RanPlan{
      .result = std::move(result).value(), .rules = planned->rules, .departures = departures, .exit_code = exit_code};
}

// Check before running: hours of runs must not end at a missing folder. Does not modify an existing file.
Status check_out(const fs::path& out) {
  std::error_code failed;
  if (fs::is_directory(out, failed)) return Error{fmt::format("--out {} is a folder; name a file in it", out.string())};
  const fs::path folder = out.has_parent_path() ? out.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, failed))
    return Error{fmt::format("--out {}: there is no folder {}; make it first", out.string(), folder.string())};
  return check_writable(folder);
}

// The sources of the HTML page, loaded before anything runs; nullopt if no HTML report is requested.
Result<std::optional<HtmlPage>> page_wished(const std::vector<ReportWish>& wishes, const MatrixCommand& command) {
  if (std::ranges::none_of(wishes, [](const ReportWish& wish) { return wish.format == nullptr; }))
    return std::optional<HtmlPage>();
  if (arithmetic_of(command) != Arithmetic::exact)
    return Error{
        fmt::format("--report html: the page shows exact arithmetic; leave out --arithmetic {}, or choose another "
                    "report",
                    command.arithmetic)};
  auto page = html_page_of(command);
  if (!page) return page.error();
  return std::optional<HtmlPage>(*std::move(page));
}

// The interpreter that ran the cases also generates their scripts. If that fails, the page is written without scripts.
Result<std::string> page_of(HtmlPage& page, const std::vector<PlanResult>& results, const MatrixCommand& command) {
  if (const Status put = put_into(page, results); !put) return put.error();
  auto scripts = scripts_of(page, command, command.engine.pythons.empty() ? "" : command.engine.pythons.front());
  if (!scripts) fmt::print(stderr, "ordercheck matrix: the HTML page holds no scripts: {}\n", scripts.error().message);
  return render(page, scripts ? &*scripts : nullptr);
}

// Runs one interpreter after another, prints each result, then compares all.
Result<int> run_matrix_command(const MatrixCommand& command) {
  if (command.write && !command.engine.world.empty())
    return Error{"--write records results of the engine's default world alone; leave out --world, or use --check"};
  const auto specs = builds_of(command);
  if (!specs) return specs.error();
  if (!command.out.empty()) {
    if (specs->size() > 1) return Error{"--out is the table of one build; name one interpreter with --python"};
    if (const auto writable = check_out(command.out); !writable) return writable.error();
  }
  const auto wishes = report_wishes(command.reports);
  if (!wishes) return wishes.error();
  auto wished = page_wished(*wishes, command);
  if (!wished) return wished.error();
  std::optional<HtmlPage> page = *std::move(wished);
  const bool json = command.format == "json";
  std::vector<Rule> rules;
  std::vector<PlanResult> results;
  std::vector<std::string> objects;
  std::string departures;
  std::vector<int> codes;
  std::set<fs::path> begun;
  for (const EngineSpec& spec : *specs) {
    auto ran = run_on(spec, command, begun);
    if (!ran) return ran.error();
    codes.push_back(ran->exit_code);
    if (!ran->result) return worst_of(codes);
    if (json) {
      objects.push_back(render_result_json(*ran->result));
      departures += ran->departures;
    } else {
      fmt::print("{}{}{}", heading(spec, specs->size()), render_result_text(*ran->result, command.verbose), ran->departures);
    }
    results.push_back(std::move(*ran->result));
    rules = std::move(ran->rules);
  }
  if (json)
    fmt::print("{}{}", objects_text(objects), departures);
  else if (results.size() > 1)
    fmt::print("{}", render_builds(names_of_builds(*specs), results));
  std::vector<ReportedBuild> builds;
  for (const PlanResult& result : results) builds.push_back(reported(result));
  const auto draw = [&] { return page_of(*page, results, command); };
  if (const Status written = write_reports(*wishes, builds, rules, draw); !written)
    codes.push_back(bad_input("matrix", written.error().message));
  return worst_of(codes);
}

}  // namespace

void add_matrix_run(CLI::App& matrix, const std::shared_ptr<MatrixCommand>& options, int& exit_code) {
  CLI::App* run = matrix.add_subcommand("run", "Run the planned cases and compare them with predictions and evidence");
  add_folders(run, *options);
  add_selection(run, *options);
  run->add_flag("--write", options->write, "Write the results to matrix/evidence");
  run->add_option("--out", options->out, "Write the results to this file; `matrix merge` reads those of shards");
  run->add_flag("--check", options->check, "Rerun everything; print a diff and exit 1 if results differ from matrix/evidence");
  run->add_option("--jobs", options->jobs, "Number of parallel workers; 0: one per hardware thread")
      ->check(whole_number_from(0))
      ->capture_default_str();
  add_timeout_option(run, options->engine);
  run->add_option("--journal", options->journal,
                  "Cache of finished runs of the same build; default: a file in the cache folder");
  run->add_flag("--verbose", options->verbose, "Print a line for each case, however many there are");
  run->add_flag("--fresh", options->fresh, "Ignore cached runs");
  add_format_option(*run, options->format);
  run->add_option("--report", options->reports,
                  "Also write a report, FORMAT=FILE; repeatable: " + join(names_of_reports(), ", "))
      ->allow_extra_args(false);
  show_examples(*run, {"matrix run --only 'tp=2,*'", "matrix run --check"});
  run->callback([options, &exit_code] { exit_code = ended("matrix", run_matrix_command(*options)); });
}

}  // namespace ordercheck::cli
