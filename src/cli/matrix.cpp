// ordercheck matrix plan|run|show: many cases, predicted against observed.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/engine_session.h"
#include "cli/knowledge.h"
#include "evidence/compare.h"
#include "matrix/summary.h"

namespace ordercheck::cli {
namespace {

namespace fs = std::filesystem;

struct MatrixCommand {
  std::string rules;
  std::string folder;        // of space.toml, frameworks/, threads/ and evidence/
  std::string format = "text";
  std::string arithmetic = "exact";
  std::string only;
  std::string shard;
  std::string journal;
  int shards = 4;
  int jobs = 0;
  double timeout = 60;
  bool fresh = false;
  bool write = false;
  bool check = false;
};

int bad_input(const std::string& message) {
  fmt::print(stderr, "ordercheck matrix: {}\n", message);
  return kBadInput;
}

Result<fs::path> matrix_folder(const MatrixCommand& command) {
  if (!command.folder.empty()) return fs::path(command.folder);
  const auto rules = find_rules_folder(command.rules);
  if (!rules) return rules.error();
  return fs::absolute(*rules / "").lexically_normal().parent_path().parent_path() / "matrix";
}

struct Shard {
  int index = 1;
  int count = 1;
};

Result<Shard> parse_shard(const std::string& text) {
  if (text.empty()) return Shard{};
  const auto parts = split(text, '/');
  const auto index = parse_integer(parts[0]), count = parts.size() == 2 ? parse_integer(parts[1]) : std::nullopt;
  if (!index || !count || *index < 1 || *count < *index || *count > 10'000)
    return Error{fmt::format("--shard '{}' is not i/n with 1 <= i <= n", text)};
  return Shard{.index = static_cast<int>(*index), .count = static_cast<int>(*count)};
}

Arithmetic arithmetic_of(const MatrixCommand& command) {
  for (Arithmetic arithmetic : {Arithmetic::plain, Arithmetic::native})
    if (command.arithmetic == name_of(arithmetic)) return arithmetic;
  return Arithmetic::exact;
}

// The rules, and the plan of everything that the engine can build.
struct Planned {
  std::vector<Rule> rules;
  fs::path folder;
  Plan plan;
};

Result<Planned> plan_of(const MatrixCommand& command, const Hello& hello) {
  const auto knowledge = load_knowledge(command.rules);
  if (!knowledge) return knowledge.error();
  const auto folder = matrix_folder(command);
  if (!folder) return folder.error();
  const auto space = load_space(*folder / "space.toml");
  if (!space) return space.error();
  const auto frameworks = load_frameworks(*folder / "frameworks");
  if (!frameworks) return frameworks.error();
  const auto threads = load_threads(*folder / "threads", knowledge->rules);
  if (!threads) return threads.error();
  const auto shard = parse_shard(command.shard);
  if (!shard) return shard.error();
  Plan plan = make_plan(*space, *frameworks, knowledge->rules, hello, *threads);
  if (!command.only.empty()) {
    const auto other = [&](const auto& one) { return !glob_match(command.only, print(one.subject)); };
    std::erase_if(plan.cases, other);
    std::erase_if(plan.not_planned, other);
    if (plan.cases.empty())
      return Error{fmt::format("no planned case matches --only '{}'; `ordercheck matrix plan` lists them", command.only)};
  }
  for (PlannedCase& planned : plan.cases) planned.subject.settings.arithmetic = arithmetic_of(command);
  return Planned{.rules = knowledge->rules, .folder = *folder, .plan = shard_of(plan, shard->index, shard->count)};
}

int run_plan(const MatrixCommand& command) {
  auto session = EngineSession::start(1, command.timeout);
  if (!session) return bad_input(session.error().message);
  const auto planned = plan_of(command, (*session)->runner().hello());
  if (!planned) return bad_input(planned.error().message);
  fmt::print("{}", command.format == "github" ? render_plan_github(planned->plan, command.shards)
                   : command.format == "json" ? render_plan_json(planned->plan)
                                              : render_plan_text(planned->plan));
  return kNothingAgainst;
}

// The committed table of the same engine, build and arithmetic.
Result<EvidenceTable> committed_table(const fs::path& folder, const EvidenceTable& head) {
  const auto tables = read_evidence(folder);
  if (!tables) return tables.error();
  const fs::path path = evidence_path(folder, head);
  for (const EvidenceTable& table : *tables)
    if (evidence_path(folder, table) == path) return table;
  return Error{fmt::format("there is no {} to check against; `ordercheck matrix run --write` writes it", path.string())};
}

Status prepare(const MatrixCommand& command, EngineRunner& runner) {
  fs::path journal = command.journal;
  if (journal.empty()) {
    auto standard = default_journal(runner.hello());
    if (!standard) return standard.error();
    journal = *standard;
  }
  return runner.resume_from(journal, command.fresh);
}

int exit_code_of(const MatrixResult& result, std::size_t changed) {
  const Tally tally = tally_of(result);
  if (tally.contradictions > 0 || tally.controls_failed > 0 || changed > 0) return kDecidedAgainst;
  return tally.undecided > 0 || result.outcomes.empty() ? kUndecided : kNothingAgainst;
}

int run_matrix_command(const MatrixCommand& command) {
  const bool whole = command.only.empty() && command.shard.empty();
  if (command.write && !whole) return bad_input("--write needs the whole matrix: leave out --only and --shard");
  auto session = EngineSession::start(command.jobs, command.timeout);
  if (!session) return bad_input(session.error().message);
  EngineRunner& runner = (*session)->runner();
  const auto planned = plan_of(command, runner.hello());
  if (!planned) return bad_input(planned.error().message);
  const fs::path evidence = planned->folder / "evidence";
  if (command.write)
    if (const auto writable = check_writable(evidence); !writable) return bad_input(writable.error().message);
  std::optional<EvidenceTable> committed;
  if (command.check) {
    auto table = committed_table(evidence, head_of(runner.hello(), arithmetic_of(command)));
    if (!table) return bad_input(table.error().message);
    committed = std::move(table).value();
  }
  if (const auto ready = prepare(command, runner); !ready) return bad_input(ready.error().message);

  const auto result = (*session)->run(planned->plan, planned->rules, {});
  if (!result) {
    fmt::print(stderr, "ordercheck matrix: {}\n", result.error().message);
    return kUndecided;
  }
  fmt::print("{}", command.format == "json" ? render_result_json(*result) : render_result_text(*result));
  const EvidenceTable seen = evidence_of(*result);
  std::vector<std::string> changed;
  if (committed) changed = changes(*committed, seen, whole);
  for (const auto& line : changed) fmt::print("{}\n", line);
  if (!changed.empty())
    fmt::print("departs from {}; `ordercheck matrix run --write` commits to what was seen\n",
               evidence_path(evidence, seen).string());
  if (command.write)
    if (const auto written = write_evidence(evidence, seen); !written) return bad_input(written.error().message);
  return exit_code_of(*result, changed.size());
}

int run_show(const MatrixCommand& command) {
  const auto folder = matrix_folder(command);
  if (!folder) return bad_input(folder.error().message);
  const auto tables = read_evidence(*folder / "evidence");
  if (!tables) return bad_input(tables.error().message);
  if (tables->empty())
    return bad_input(fmt::format("no evidence in {}; `ordercheck matrix run --write` writes it",
                                 (*folder / "evidence").string()));
  for (const EvidenceTable& table : *tables) fmt::print("{}", render_evidence_text(table));
  return kNothingAgainst;
}

void add_common(CLI::App* command, MatrixCommand& options) {
  command->add_option("--rules", options.rules, "The folder of rule pages");
  command->add_option("--matrix", options.folder, "The folder of space.toml, frameworks/, threads/ and evidence/");
}

void add_selection(CLI::App* command, MatrixCommand& options) {
  command->add_option("--only", options.only, "Only cases that match, * for anything: 'tp=2,*'");
  command->add_option("--shard", options.shard, "Only every n-th case from the i-th on: i/n");
  command->add_option("--arithmetic", options.arithmetic, "exact, plain or native")
      ->check(CLI::IsMember({"exact", "plain", "native"}))
      ->capture_default_str();
}

}  // namespace

void add_matrix(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<MatrixCommand>();
  CLI::App* matrix = app.add_subcommand("matrix", "Plan and run many cases, predicted against observed");
  matrix->group(kRun);
  matrix->require_subcommand(1);

  CLI::App* plan = matrix->add_subcommand("plan", "List the cases, and what is not planned and why");
  add_common(plan, *options);
  add_selection(plan, *options);
  plan->add_option("--format", options->format, "text, json or github")
      ->check(CLI::IsMember({"text", "json", "github"}))
      ->capture_default_str();
  plan->add_option("--shards", options->shards, "Jobs of a GitHub matrix")->check(CLI::PositiveNumber)->capture_default_str();
  plan->callback([options, &exit_code] { exit_code = run_plan(*options); });

  CLI::App* run = matrix->add_subcommand("run", "Run the cases and compare");
  add_common(run, *options);
  add_selection(run, *options);
  run->add_flag("--write", options->write, "Write what was seen into matrix/evidence");
  run->add_flag("--check", options->check, "Exit 1 where it departs from matrix/evidence, with a diff");
  run->add_option("--jobs", options->jobs, "Workers at once; 0: one a hardware thread")->check(CLI::NonNegativeNumber)->capture_default_str();
  run->add_option("--timeout", options->timeout, "Seconds for one run")->check(CLI::PositiveNumber)->capture_default_str();
  run->add_option("--journal", options->journal, "Goes on from this file, kept in the cache folder by default");
  run->add_flag("--fresh", options->fresh, "Do not go on from the journal");
  run->add_option("--format", options->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  run->callback([options, &exit_code] { exit_code = run_matrix_command(*options); });

  CLI::App* show = matrix->add_subcommand("show", "Print the evidence that is committed");
  add_common(show, *options);
  show->callback([options, &exit_code] { exit_code = run_show(*options); });
}

}  // namespace ordercheck::cli
