// ordercheck matrix plan|run|show: many cases, predicted against observed.
#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "base/wording.h"
#include "cli/command.h"
#include "cli/engine_choice.h"
#include "cli/engine_session.h"
#include "cli/knowledge.h"
#include "evidence/compare.h"
#include "report/builds_beside.h"
#include "report/summary.h"

namespace ordercheck::cli {
namespace {

namespace fs = std::filesystem;

struct MatrixCommand {
  std::string rules;
  std::string folder;  // of space.toml, space-<engine>.toml, frameworks/, discussions/ and evidence/
  std::string format = "text";
  std::string arithmetic;  // "" for what each case is usually run with
  std::string only;
  std::string shard;
  std::string journal;
  int shards = 4;
  int jobs = 0;
  EngineChoice engine;
  bool slow = false;
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
  bool whole = true;  // every case of the space, the slow ones too
};

// A case is meant by its whole text, or by what is left of it without its engine, which --engine has said.
bool matches(const std::string& pattern, Case c) {
  if (glob_match(pattern, print(c))) return true;
  c.engine = Case{}.engine;
  return glob_match(pattern, print(c));
}

Result<Planned> plan_of(const MatrixCommand& command, const Hello& hello) {
  const auto knowledge = load_knowledge(command.rules);
  if (!knowledge) return knowledge.error();
  const auto folder = matrix_folder(command);
  if (!folder) return folder.error();
  const auto space = load_space_of(hello.engine, *folder);
  if (!space) return space.error();
  const auto frameworks = load_frameworks(*folder / "frameworks");
  if (!frameworks) return frameworks.error();
  const auto discussions = load_discussions(*folder / "discussions", knowledge->rules);
  if (!discussions) return discussions.error();
  const auto shard = parse_shard(command.shard);
  if (!shard) return shard.error();
  Plan plan = make_plan(*space, *frameworks, knowledge->rules, hello, *discussions, command.slow ? Tier::slow : Tier::usual);
  if (!command.only.empty()) {
    const auto other = [&](const auto& one) { return !matches(command.only, one.subject); };
    std::erase_if(plan.cases, other);
    std::erase_if(plan.not_planned, other);
    if (plan.cases.empty())
      return Error{fmt::format("no planned case matches --only '{}'; `ordercheck matrix plan` lists them", command.only)};
  }
  if (!command.arithmetic.empty())
    for (PlannedCase& planned : plan.cases) planned.subject.settings.arithmetic = arithmetic_of(command);
  return Planned{.rules = knowledge->rules,
                 .folder = *folder,
                 .plan = shard_of(plan, shard->index, shard->count),
                 .whole = command.only.empty() && command.shard.empty() && (command.slow || !has_slow_tier(*space))};
}

// The interpreters of one run have to be of different builds: evidence is kept by build, and two of one would be one table.
Result<std::vector<EngineSpec>> builds_of(const MatrixCommand& command) {
  auto specs = engines_of(command.engine);
  if (!specs) return specs;
  for (const EngineSpec& spec : *specs)
    if (std::ranges::count(*specs, spec.build, &EngineSpec::build) > 1)
      return Error{
          fmt::format("--python names {} twice, {} is one of them; name each version once", spec.build, spec.command[0])};
  return specs;
}

// Over what one of several interpreters gives; nothing where there is only one.
std::string heading(const EngineSpec& spec, std::size_t of) {
  return of > 1 ? fmt::format("{} in {}, {}\n", spec.name, spec.command[0], spec.build) : "";
}

// One object, or, of several interpreters, an array.
std::string objects_text(const std::vector<std::string>& objects) {
  if (objects.size() == 1) return objects.front();
  std::vector<std::string> trimmed;
  for (const std::string& object : objects) trimmed.emplace_back(trim(object));
  return "[" + join(trimmed, ",\n") + "]\n";
}

int run_plan(const MatrixCommand& command) {
  const auto specs = builds_of(command);
  if (!specs) return bad_input(specs.error().message);
  if (specs->size() > 1 && command.format == "github")
    return bad_input("--format github is the plan of one job matrix; name one interpreter with --python");
  std::vector<std::string> objects;
  for (const EngineSpec& spec : *specs) {
    auto session = EngineSession::start(spec, 1, timeout_of(command.engine, spec));
    if (!session) return bad_input(session.error().message);
    const auto planned = plan_of(command, (*session)->runner().hello());
    if (!planned) return bad_input(planned.error().message);
    if (command.format == "json")
      objects.push_back(render_plan_json(planned->plan));
    else
      fmt::print(
          "{}{}", heading(spec, specs->size()),
          command.format == "github" ? render_plan_github(planned->plan, command.shards) : render_plan_text(planned->plan));
  }
  if (!objects.empty()) fmt::print("{}", objects_text(objects));
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

// `begun` holds the journals of this command: one that an earlier interpreter wrote to is gone on with.
Status prepare(const MatrixCommand& command, EngineRunner& runner, std::set<fs::path>& begun) {
  fs::path journal = command.journal;
  if (journal.empty()) {
    auto standard = default_journal(runner.hello());
    if (!standard) return standard.error();
    journal = *standard;
  }
  // What a check compares was seen by this very command.
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

// A whole matrix has to show that its comparison can fail; a part of it may leave nothing to show it by.
bool controls_speak_against(const PlanResult& result, bool whole) {
  return std::ranges::any_of(result.controls, [&](const Control& one) { return one.judged ? !one.held : whole; });
}

int exit_code_of(const PlanResult& result, bool whole, std::size_t changed) {
  const Tally tally = tally_of(result);
  if (tally.contradictions > 0 || controls_speak_against(result, whole) || changed > 0) return kDecidedAgainst;
  return tally.undecided > 0 || result.cases.empty() ? kUndecided : kNothingAgainst;
}

// What one interpreter showed, or the exit code of what went wrong, which has been told then.
struct Ran {
  std::optional<PlanResult> result;
  std::string departures;  // from the committed evidence, where that is checked
  int exit_code = kNothingAgainst;
};

Ran run_on(const EngineSpec& spec, const MatrixCommand& command, std::set<fs::path>& begun) {
  const auto refused = [](const std::string& message) {
    return Ran{.result = {}, .departures = "", .exit_code = bad_input(message)};
  };
  auto session = EngineSession::start(spec, command.jobs, timeout_of(command.engine, spec));
  if (!session) return refused(session.error().message);
  EngineRunner& runner = (*session)->runner();
  const auto planned = plan_of(command, runner.hello());
  if (!planned) return refused(planned.error().message);
  if (command.write && !planned->whole) return refused("--write needs the whole matrix: add --slow, its space has slow sets");
  const fs::path evidence = planned->folder / "evidence";
  if (command.write)
    if (const auto writable = check_writable(evidence); !writable) return refused(writable.error().message);
  std::optional<EvidenceTable> committed;
  if (command.check) {
    auto table = committed_table(evidence, head_of(runner.hello(), arithmetic_of(command)));
    if (!table) return refused(table.error().message);
    committed = std::move(table).value();
  }
  if (const auto ready = prepare(command, runner, begun); !ready) return refused(ready.error().message);

  auto result = (*session)->run(planned->plan, planned->rules, {});
  tell_what_was_taken(runner);
  if (!result) {
    fmt::print(stderr, "ordercheck matrix: {}\n", result.error().message);
    return {.result = {}, .departures = "", .exit_code = kUndecided};
  }
  const EvidenceTable seen = evidence_of(*result);
  std::vector<std::string> changed;
  if (committed) changed = changes(*committed, seen, planned->whole);
  std::string departures;
  for (const auto& line : changed) departures += line + "\n";
  if (!changed.empty())
    departures += fmt::format("departs from {}; `ordercheck matrix run --write` commits to what was seen\n",
                              evidence_path(evidence, seen).string());
  int exit_code = exit_code_of(*result, planned->whole, changed.size());
  if (command.write)
    if (const auto written = write_evidence(evidence, seen); !written) exit_code = bad_input(written.error().message);
  return {.result = std::move(result).value(), .departures = departures, .exit_code = exit_code};
}

// One interpreter after another, each told when it is through, then all beside each other.
int run_matrix_command(const MatrixCommand& command) {
  if (command.write && (!command.only.empty() || !command.shard.empty()))
    return bad_input("--write needs the whole matrix: leave out --only and --shard");
  const auto specs = builds_of(command);
  if (!specs) return bad_input(specs.error().message);
  const bool json = command.format == "json";
  std::vector<PlanResult> results;
  std::vector<std::string> objects;
  std::string departures;
  std::vector<int> codes;
  std::set<fs::path> begun;
  for (const EngineSpec& spec : *specs) {
    Ran ran = run_on(spec, command, begun);
    codes.push_back(ran.exit_code);
    if (!ran.result) return worst_of(codes);
    if (json) {
      objects.push_back(render_result_json(*ran.result));
      departures += ran.departures;
    } else {
      fmt::print("{}{}{}", heading(spec, specs->size()), render_result_text(*ran.result), ran.departures);
    }
    results.push_back(std::move(*ran.result));
  }
  if (json)
    fmt::print("{}{}", objects_text(objects), departures);
  else if (results.size() > 1)
    fmt::print("{}", render_builds(names_of_builds(*specs), results));
  return worst_of(codes);
}

int run_show(const MatrixCommand& command) {
  const auto folder = matrix_folder(command);
  if (!folder) return bad_input(folder.error().message);
  const auto tables = read_evidence(*folder / "evidence");
  if (!tables) return bad_input(tables.error().message);
  if (tables->empty())
    return bad_input(
        fmt::format("no evidence in {}; `ordercheck matrix run --write` writes it", (*folder / "evidence").string()));
  for (const EvidenceTable& table : *tables) fmt::print("{}", render_evidence_text(table));
  return kNothingAgainst;
}

void add_common(CLI::App* command, MatrixCommand& options) {
  command->add_option("--rules", options.rules, "The folder of rule pages");
  command->add_option("--matrix", options.folder,
                      "The folder of space.toml, space-<engine>.toml, frameworks/, discussions/ and evidence/");
}

void add_selection(CLI::App* command, MatrixCommand& options) {
  add_engine_options(command, options.engine);
  command->add_flag("--slow", options.slow, "Also the slow sets of the space");
  command->add_option("--only", options.only, "Only cases that match, * for anything: 'tp=2,*'");
  command->add_option("--shard", options.shard, "Only every n-th case from the i-th on: i/n");
  command
      ->add_option("--arithmetic", options.arithmetic,
                   "exact, plain or native; without it exact, and native for a stack that casts")
      ->check(CLI::IsMember({"exact", "plain", "native"}));
}

}  // namespace

void add_matrix(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<MatrixCommand>();
  CLI::App* matrix = app.add_subcommand("matrix", "Plan and run many cases, predicted against observed");
  matrix->group(kRun);
  matrix->require_subcommand(1);
  show_examples(*matrix, {"matrix plan", "matrix run --only 'tp=2,*'", "matrix show"});

  CLI::App* plan = matrix->add_subcommand("plan", "List the cases, and what is not planned and why");
  add_common(plan, *options);
  add_selection(plan, *options);
  plan->add_option("--format", options->format, "text, json or github")
      ->check(CLI::IsMember({"text", "json", "github"}))
      ->capture_default_str();
  plan->add_option("--shards", options->shards, "Jobs of a GitHub matrix")->check(CLI::PositiveNumber)->capture_default_str();
  show_examples(*plan, {"matrix plan --only '*tp=2*'", "matrix plan --slow --format github --shards 8"});
  plan->callback([options, &exit_code] { exit_code = run_plan(*options); });

  CLI::App* run = matrix->add_subcommand("run", "Run the cases and compare");
  add_common(run, *options);
  add_selection(run, *options);
  run->add_flag("--write", options->write, "Write what was seen into matrix/evidence");
  run->add_flag("--check", options->check, "Run all anew, and exit 1 where it departs from matrix/evidence, with a diff");
  run->add_option("--jobs", options->jobs, "Workers at once; 0: one a hardware thread, of pytorch one for every four")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  add_timeout_option(run, options->engine);
  run->add_option("--journal", options->journal,
                  "Take finished runs of the same build from this file, and add to it; by default one in the cache folder");
  run->add_flag("--fresh", options->fresh, "Run all anew instead of taking finished runs from the journal");
  run->add_option("--format", options->format, "text or json")->check(CLI::IsMember({"text", "json"}))->capture_default_str();
  show_examples(*run, {"matrix run --only 'tp=2,*'", "matrix run --check"});
  run->callback([options, &exit_code] { exit_code = run_matrix_command(*options); });

  CLI::App* show = matrix->add_subcommand("show", "Print the evidence that is committed");
  add_common(show, *options);
  show_examples(*show, {"matrix show"});
  show->callback([options, &exit_code] { exit_code = run_show(*options); });
}

}  // namespace ordercheck::cli
