// ordercheck mutants run: each mutant on its cases, and each case without it.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/mutants/mutants.h"
#include "knowledge/knowledge.h"
#include "report/text/mutants_view.h"
#include "stack/transforms.h"

namespace ordercheck::cli {
namespace {

// The rows of the mutants that are asked for. Every one has to be a mutant of this build.
Result<std::vector<MutantRow>> rows_asked(const MutantsCommand& command, const MutantRows& table, const Hello& hello) {
  const std::vector<std::string> known = names_in(hello.mutants);
  for (const std::string& name : command.names)
    if (!contains(known, name))
      return Error{
          fmt::format("the {} engine knows no mutant '{}'; {}", hello.engine, name, did_you_mean(name, known, "it knows "))};
  std::vector<MutantRow> rows;
  for (const MutantRow& row : table.rows) {
    if (!command.names.empty() && !contains(command.names, row.mutant)) continue;
    if (!contains(known, row.mutant))
      return Error{fmt::format("the table of mutants names '{}', which the {} engine does not know; {}", row.mutant,
                               hello.engine, did_you_mean(row.mutant, known, "it knows "))};
    if (const std::string reason = why_not(row.subject, hello); !reason.empty())
      return Error{fmt::format("the table of mutants names {}, and {}", print(row.subject), reason)};
    rows.push_back(row);
  }
  return rows;
}

std::vector<std::string> without_case(const MutantsCommand& command, const std::vector<MutantRow>& rows, const Hello& hello) {
  std::vector<std::string> names;
  for (const Mutant& mutant : hello.mutants) {
    const bool asked = command.names.empty() || contains(command.names, mutant.name);
    if (asked && std::ranges::find(rows, mutant.name, &MutantRow::mutant) == rows.end()) names.push_back(mutant.name);
  }
  return names;
}

Plan plan_of(const std::vector<MutantRow>& rows, const Hello& hello) {
  Plan plan{.engine = hello.engine, .cases = {}, .not_planned = {}};
  for (const MutantRow& row : rows)
    if (std::ranges::find(plan.cases, row.subject, &PlannedCase::subject) == plan.cases.end())
      plan.cases.push_back({.subject = row.subject, .sources = {}});
  return plan;
}

// What was seen of the case. What the engine declines once it is asked to build it is undecided.
Observation seen_of(const PlanResult& result, const Case& subject) {
  for (const CaseResult& one : result.cases)
    if (one.planned.subject == subject) return one.outcome.seen;
  const auto declined = std::ranges::find(result.plan.not_planned, subject, &NotPlanned::subject);
  return {.message = declined == result.plan.not_planned.end() ? "it was not run" : declined->reason};
}

// Of a run that did not complete the message also tells what is up to the threads: which rank raised first, how far the others
// came. Where it ended does not hang on that.
MutantRun run_of(const MutantRow& row, const Observation& twin, const Observation& with, const Hello& hello) {
  const auto mutant = std::ranges::find(hello.mutants, row.mutant, &Mutant::name);
  return {.mutant = row.mutant,
          .case_text = print(row.subject),
          .breaks = mutant->breaks,
          .twin = twin.verdict,
          .verdict = with.verdict,
          .first = first_of(with),
          .message = with.ending == Ending::completed ? reason_of(with) : ""};
}

int code_of(const MutantResult& one) {
  if (!shows_parity(one.run.twin)) return std::max(kDecidedAgainst, exit_code_of(one.run.twin));
  if (contains(std::vector{Verdict::unrun, Verdict::unstable}, one.run.verdict)) return kUndecided;
  return sighting_of(one.expected, one.run) == Sighting::seen ? kNothingAgainst : kDecidedAgainst;
}

int code_of(const MutantsResult& result) {
  std::vector<int> codes;
  for (const MutantResult& one : result.rows) codes.push_back(code_of(one));
  if (!result.without_case.empty() || result.rows.empty()) codes.push_back(kUndecided);
  return worst_of(codes);
}

// The twins together, then a mutant on a case at a time; each is told as soon as it is through. An error where the engine could
// not be run at all.
Result<MutantsResult> run_rows(const MutantsCommand& command, const std::vector<MutantRow>& rows,
                               const std::vector<Rule>& rules, EngineSession& session) {
  const Hello hello = session.runner().hello();
  MutantsResult result{.hello = hello, .rows = {}, .without_case = without_case(command, rows, hello)};
  const auto twins = session.run(plan_of(rows, hello), rules, {});
  if (!twins) return twins.error();
  const MutantLines lines(rows);
  for (const MutantRow& row : rows) {
    const auto with = session.run(plan_of({row}, hello), rules, {.mutant = row.mutant});
    if (!with) return with.error();
    result.rows.push_back(
        {.expected = row, .run = run_of(row, seen_of(*twins, row.subject), seen_of(*with, row.subject), hello)});
    if (command.format != "json") fmt::print("{}", lines.line(result.rows.back()));
  }
  return result;
}

// Rows of mutants that were not asked for stay, where they are of the same build and still in the table.
Status write_seen(const std::filesystem::path& matrix, const MutantRows& table, const MutantsResult& result) {
  const Hello& hello = result.hello;
  const std::filesystem::path path = mutant_table_path(matrix, hello.engine);
  MutantTable seen{.engine = hello.engine, .versions = hello.versions, .device = hello.devices.front(), .rows = {}};
  for (const MutantResult& one : result.rows) seen.rows.push_back(one.run);
  const auto before = load_mutant_table(path);
  if (!before) return before.error();
  if (before->versions == seen.versions)
    for (const MutantRow& row : table.rows)
      if (const MutantRun* kept = find_run(*before, row.mutant, print(row.subject));
          kept != nullptr && find_run(seen, row.mutant, kept->case_text) == nullptr)
        seen.rows.push_back(*kept);
  return replace_file(path, print_mutant_table(seen));
}

Result<int> run_mutants(const MutantsCommand& command) {
  const auto engine = start_engine_of(command);
  if (!engine) return engine.error();
  const auto rows = rows_asked(command, engine->table, engine->session->runner().hello());
  if (!rows) return rows.error();
  const auto knowledge = load_knowledge(command.rules);
  if (!knowledge) return knowledge.error();
  if (command.write)
    if (const auto writable = check_writable(engine->matrix / "mutants"); !writable) return writable.error();
  const auto result = run_rows(command, *rows, knowledge->rules, *engine->session);
  if (!result) return undecided("mutants", result.error().message);
  fmt::print("{}", command.format == "json" ? render_mutants_result_json(*result) : render_mutants_summary(*result));
  if (command.write)
    if (const auto written = write_seen(engine->matrix, engine->table, *result); !written) return written.error();
  return code_of(*result);
}

}  // namespace

void add_mutants_run(CLI::App& mutants, const std::shared_ptr<MutantsCommand>& options, int& exit_code) {
  CLI::App* run = mutants.add_subcommand("run", "Run each mutant on its cases and each case without it, and compare");
  run->add_option("mutants", options->names, "Names of mutants; without one all of them");
  add_mutants_options(run, *options);
  add_timeout_option(run, options->engine);
  run->add_flag("--write", options->write, "Write what was seen into matrix/mutants, which docs/mutants.md is made from");
  show_examples(*run, {"mutants run drop_sum"});
  run->callback([options, &exit_code] { exit_code = ended("mutants", run_mutants(*options)); });
}

}  // namespace ordercheck::cli
