// ordercheck compare STACK STACK: what is different, what is found against each, and what runs of both show.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "check/render.h"
#include "check/stack_changes.h"
#include "cli/command.h"
#include "cli/shared/engine_choice.h"
#include "cli/shared/engine_session.h"
#include "cli/shared/import_view.h"
#include "cli/shared/question.h"
#include "report/text/side_by_side.h"
#include "report/text/two_runs.h"
#include "stack/notation.h"

namespace ordercheck::cli {
namespace {

struct CompareOptions {
  std::vector<std::string> words;
  std::string target;  // "" when it was not said
  JobChoice job;
  std::string rules;
  bool run = false;
  EngineChoice engine;
};

int print_findings(const char* side, const Stack& stack, const Judge& judge, bool assumed) {
  Report report = check(stack, judge);
  report.target_assumed = assumed;
  fmt::print("\nFindings of the {}: {}\n{}", side, print(stack), render_text(report, wants_colour()));
  return count_of(report, Severity::error) > 0 ? kDecidedAgainst : kNothingAgainst;
}

void print_evidence(const Stack& left, const Stack& right, const std::vector<Observation>& observations) {
  const auto seen = seen_of(left, right, observations);
  fmt::print("\nWhat committed runs showed:{}\n", seen.empty() ? " neither was run; --run runs both" : "");
  for (const SeenOfTwo& one : seen) fmt::print("{}", render_table(table_of(one, "left", "right")));
}

const CaseResult& result_of(const Stack& stack, const PlanResult& result) {
  return *std::ranges::find(result.cases, stack, [](const CaseResult& one) { return one.planned.subject.stack; });
}

Result<int> run_both(const EngineSpec& spec, const Stack& left, const Stack& right, const CompareOptions& options,
                     const Knowledge& knowledge) {
  auto session = EngineSession::start(spec, 0, timeout_of(options.engine, spec));
  if (!session) return session.error();
  const Hello hello = (*session)->runner().hello();
  Plan plan{.engine = hello.engine,
            .cases = {{.subject = {.stack = left, .engine = hello.engine}, .sources = {}}},
            .not_planned = {}};
  if (left != right) plan.cases.push_back({.subject = {.stack = right, .engine = hello.engine}, .sources = {}});
  std::ranges::sort(plan.cases, {}, [](const PlannedCase& one) { return print(one.subject); });
  for (const PlannedCase& one : plan.cases)
    if (const std::string reason = why_not(one.subject, hello); !reason.empty())
      return Error{fmt::format("{}: {}", print(one.subject), reason)};
  const auto result = (*session)->run(plan, knowledge.rules, {});
  if (!result) {
    return undecided("compare", result.error().message);
  }
  if (!result->plan.not_planned.empty()) {
    const NotPlanned& declined = result->plan.not_planned.front();
    return Error{fmt::format("{}: {}", print(declined.subject), declined.reason)};
  }
  const CaseResult &one = result_of(left, *result), &other = result_of(right, *result);
  fmt::print("\nWhat the two runs showed:\n{}", render_two_runs(one, other, hello));
  return worst_of({exit_code_of(one.outcome), exit_code_of(other.outcome)});
}

// Input that must be changed ends it; otherwise each interpreter's runs are told.
Result<int> run_both_everywhere(const std::vector<EngineSpec>& specs, const Stack& left, const Stack& right,
                                const CompareOptions& options, const Knowledge& knowledge) {
  std::vector<int> codes;
  for (const EngineSpec& spec : specs) {
    const auto code = run_both(spec, left, right, options, knowledge);
    if (!code) return code;
    codes.push_back(*code);
  }
  return worst_of(codes);
}

Result<int> run_compare(const CompareOptions& options) {
  const auto stacks = stacks_of(options.words, 2);
  if (!stacks) return stacks.error();
  if (!options.run && !options.engine.engine.empty()) return Error{"--engine says what --run runs on; add --run"};
  if (!options.run && options.engine.pythons.size() > 1)
    return Error{"several --python are what --run runs on; add --run, or name one to judge for the torch in it"};
  const auto knowledge = load_knowledge(options.rules);
  if (!knowledge) return knowledge.error();
  const bool one_python = options.engine.pythons.size() == 1;
  const std::string python = one_python && !options.run ? options.engine.pythons.front() : "";
  const auto settled = settled_target(options.target, python, *knowledge);
  if (!settled) return settled.error();
  const auto job = job_of(options.job);
  if (!job) return job.error();

  std::vector<EngineSpec> specs;
  if (options.run) {
    auto chosen = engines_of(options.engine, knowledge->engines);
    if (!chosen) return chosen.error();
    specs = std::move(chosen).value();
  }

  const Stack &left = stacks->front().stack, &right = stacks->back().stack;
  Job stated = *job;
  for (const WrittenStack& one : *stacks)
    if (one.imported) stated = with_stated(stated, *one.imported);
  const Judge judge(knowledge->rules, settled->target, knowledge->observations, stated);
  const bool assumed = settled->assumed;
  fmt::print("left   {}\nright  {}\n\nWhat changes from left to right:\n{}", print(left), print(right),
             render_text(changes_between(left, right, judge), judge));
  for (const WrittenStack& one : *stacks)
    if (one.imported) fmt::print("\n{}", render_import_below(*one.imported));
  std::vector<int> codes{print_findings("left", left, judge, assumed)};
  if (left != right) codes.push_back(print_findings("right", right, judge, assumed));
  if (!options.run) {
    print_evidence(left, right, knowledge->observations);
    return worst_of(codes);
  }
  auto ran = run_both_everywhere(specs, left, right, options, *knowledge);
  if (!ran) return ran;
  codes.push_back(*ran);
  return worst_of(codes);
}

}  // namespace

void add_compare(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand("compare", "Say what changes from one stack to another, and what it does");
  command->group(kAsk);
  command
      ->add_option("stacks", options->words,
                   "Two stacks, each quoted: tp=2,ac,fsdp=2 ac,tp=2,fsdp=2; or files that `import` reads")
      ->required();
  add_target_option(*command, options->target);
  add_job_options(*command, options->job);
  command->add_flag("--run", options->run, "Run both instead of looking at committed runs");
  add_engine_options(command, options->engine);
  add_timeout_option(command, options->engine);
  command->add_option("--rules", options->rules, "The folder of rule pages");
  show_examples(*command, {"compare tp=2,ac,fsdp=2 ac,tp=2,fsdp=2", "compare tp=2,ac,fsdp=2 ac,tp=2,fsdp=2 --run"});
  command->callback([options, &exit_code] { exit_code = ended("compare", run_compare(*options)); });
}

}  // namespace ordercheck::cli
