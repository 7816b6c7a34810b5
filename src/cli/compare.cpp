// ordercheck compare STACK STACK: prints the differences, the findings of each stack, and the results of runs of both.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/shared/engine_choice.h"
#include "cli/shared/engine_session.h"
#include "cli/shared/import_view.h"
#include "cli/shared/kept_run.h"
#include "cli/shared/question.h"
#include "report/text/side_by_side.h"
#include "rules/job.h"
#include "rules/render.h"
#include "rules/stack_changes.h"
#include "stack/notation.h"

namespace ordercheck::cli {
namespace {

struct CompareOptions {
  std::vector<std::string> words;
  std::string as;
  std::string target;  // "" if not given
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

// One of the two stacks on the command line. An imported file may also state ranks and sizes.
struct Side {
  std::string word;
  Stack stack;
  std::optional<Imported> imported;
};

int tell_run(CaseResult& result, const Side& side, const Hello& hello, const Knowledge& knowledge) {
  if (!side.imported) return exit_code_of(result.outcome);
  fmt::print("{}", render_who_ran(side.word, *side.imported, hello, knowledge.engines));
  leave_open(result.outcome, *side.imported);
  return exit_code_of(result.outcome, *side.imported);
}

Result<int> run_both(EngineSession& session, const Side& left_side, const Side& right_side, const Knowledge& knowledge) {
  const Stack &left = left_side.stack, &right = right_side.stack;
  const Hello hello = session.runner().hello();
  const auto planned = [&](const Stack& stack) {
    return PlannedCase{.subject = usual_case(stack, model_of(stack, Case{}.model), hello.engine), .sources = {}};
  };
  Plan plan{.engine = hello.engine, .cases = {planned(left)}, .not_planned = {}};
  if (left != right) plan.cases.push_back(planned(right));
  std::ranges::sort(plan.cases, {}, [](const PlannedCase& one) { return print(one.subject); });
  for (const PlannedCase& one : plan.cases)
    if (const std::string reason = why_not(one.subject, hello); !reason.empty())
      return Error{fmt::format("{}: {}", print(one.subject), reason)};
  const auto result = session.run(plan, knowledge.rules, {});
  if (!result) {
    return undecided("compare", result.error().message);
  }
  if (!result->plan.not_planned.empty()) {
    const NotPlanned& declined = result->plan.not_planned.front();
    return Error{fmt::format("{}: {}", print(declined.subject), declined.reason)};
  }
  CaseResult one = result_of(left, *result), other = result_of(right, *result);
  fmt::print("\n");
  const std::vector<int> codes{tell_run(one, left_side, hello, knowledge), tell_run(other, right_side, hello, knowledge)};
  fmt::print("What the two runs showed:\n{}", render_two_runs(one, other, hello));
  return worst_of(codes);
}

// Starts the engine of each interpreter.
Result<std::vector<std::unique_ptr<EngineSession>>> start_engines(const CompareOptions& options, const Knowledge& knowledge) {
  std::vector<std::unique_ptr<EngineSession>> sessions;
  if (!options.run) return sessions;
  const auto specs = engines_of(options.engine, knowledge.engines);
  if (!specs) return specs.error();
  for (const EngineSpec& spec : *specs) {
    auto session = EngineSession::start(spec, 0, timeout_of(options.engine, spec));
    if (!session) return session.error();
    sessions.push_back(std::move(session).value());
  }
  return sessions;
}

// The targets that the stacks are checked for: that of --for, else the version of each engine build that runs, else the
// default.
Result<std::vector<SettledTarget>> targets_of(const CompareOptions& options, const std::string& python,
                                              const std::vector<std::unique_ptr<EngineSession>>& sessions,
                                              const Knowledge& knowledge) {
  std::vector<SettledTarget> targets;
  if (sessions.empty() || !options.target.empty()) {
    auto settled = settled_target(options.target, python, knowledge);
    if (!settled) return settled.error();
    targets.push_back(std::move(settled).value());
    return targets;
  }
  for (const auto& session : sessions) {
    const Target running = target_of(session->runner().hello());
    if (std::ranges::find(targets, running, &SettledTarget::target) != targets.end()) continue;
    const auto settled = settle(running, knowledge);  // an error if no rule covers the engine
    targets.push_back(settled ? *settled : SettledTarget{.target = running});
  }
  return targets;
}

Result<int> run_compare(const CompareOptions& options) {
  const auto stacks = stacks_of(options.words, options.as, 2);
  if (!stacks) return stacks.error();
  if (!options.run && !options.engine.engine.empty()) return Error{"--engine needs --run; add --run"};
  if (!options.run && options.engine.pythons.size() > 1)
    return Error{"several --python need --run; add --run, or give one to check for its torch"};
  const auto knowledge = load_knowledge(options.rules);
  if (!knowledge) return knowledge.error();
  const bool one_python = options.engine.pythons.size() == 1;
  const std::string python = one_python && !options.run ? options.engine.pythons.front() : "";
  const auto job = job_of(options.job);
  if (!job) return job.error();

  const auto sessions = start_engines(options, *knowledge);
  if (!sessions) return sessions.error();
  const auto targets = targets_of(options, python, *sessions, *knowledge);
  if (!targets) return targets.error();

  const Side left{options.words.front(), stacks->front().stack, stacks->front().imported};
  const Side right{options.words.back(), stacks->back().stack, stacks->back().imported};
  Job stated = *job;
  for (const WrittenStack& one : *stacks)
    if (one.imported) stated = with_stated(stated, *one.imported);
  const Judge judge(knowledge->rules, targets->front().target, knowledge->observations, stated);
  fmt::print("left   {}\nright  {}\n\nWhat changes from left to right:\n{}", print(left.stack), print(right.stack),
             render_text(changes_between(left.stack, right.stack, judge), judge));
  for (const WrittenStack& one : *stacks)
    if (one.imported) fmt::print("\n{}", render_import_below(*one.imported));
  std::vector<int> codes;
  for (const SettledTarget& target : *targets) {
    const Judge for_target(knowledge->rules, target.target, knowledge->observations, stated);
    codes.push_back(print_findings("left", left.stack, for_target, target.assumed));
    if (left.stack != right.stack) codes.push_back(print_findings("right", right.stack, for_target, target.assumed));
  }
  if (!options.run) print_evidence(left.stack, right.stack, knowledge->observations);
  // Stop only on input that must be changed; other failures of one interpreter still show the runs of the rest.
  for (const auto& session : *sessions) {
    const auto ran = run_both(*session, left, right, *knowledge);
    if (!ran) return ran;
    codes.push_back(*ran);
  }
  return worst_of(codes);
}

}  // namespace

void add_compare(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand("compare", "Print what changes between two stacks, and the effect on training");
  command->group(kAsk);
  command
      ->add_option("stacks", options->words,
                   "Two stacks, each quoted: tp=2,ac,fsdp=2 ac,tp=2,fsdp=2; or files that `import` reads")
      ->required();
  add_as_option(*command, options->as);
  add_target_option(*command, options->target);
  add_job_options(*command, options->job);
  command->add_flag("--run", options->run, "Run both instead of using committed runs");
  add_engine_options(command, options->engine);
  add_timeout_option(command, options->engine);
  command->add_option("--rules", options->rules, "The folder of rules");
  show_examples(*command, {"compare tp=2,ac,fsdp=2 ac,tp=2,fsdp=2", "compare tp=2,ac,fsdp=2 ac,tp=2,fsdp=2 --run"});
  command->callback([options, &exit_code] { exit_code = ended("compare", run_compare(*options)); });
}

}  // namespace ordercheck::cli
