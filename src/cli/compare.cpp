// ordercheck compare STACK STACK: what is different, what is found against each, and what runs of both show.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "check/render.h"
#include "check/stack_changes.h"
#include "cli/command.h"
#include "cli/engine_session.h"
#include "cli/question.h"
#include "matrix/side_by_side.h"
#include "matrix/two_runs.h"
#include "stack/notation.h"

namespace ordercheck::cli {
namespace {

struct CompareOptions {
  std::vector<std::string> words;
  std::string target = "pytorch";
  std::string rules;
  bool run = false;
  double timeout = 60;
};

int bad_input(const std::string& message) {
  fmt::print(stderr, "ordercheck compare: {}\n", message);
  return kBadInput;
}

// What decides of several: against, then undecided.
int worst(const std::vector<int>& codes) {
  const auto has = [&](int code) { return std::ranges::find(codes, code) != codes.end(); };
  return has(kDecidedAgainst) ? kDecidedAgainst : has(kUndecided) ? kUndecided : kNothingAgainst;
}

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

const Outcome* find_outcome(const MatrixResult& result, const Stack& stack) {
  for (const Outcome& outcome : result.outcomes)
    if (outcome.planned.subject.stack == stack) return &outcome;
  return nullptr;
}

int run_both(const Stack& left, const Stack& right, const CompareOptions& options, const Knowledge& knowledge) {
  auto session = EngineSession::start(0, options.timeout);
  if (!session) return bad_input(session.error().message);
  const Hello hello = (*session)->runner().hello();
  Plan plan{.engine = hello.engine, .cases = {{.subject = {.stack = left}, .sources = {}}}, .not_planned = {}};
  if (left != right) plan.cases.push_back({.subject = {.stack = right}, .sources = {}});
  std::ranges::sort(plan.cases, {}, [](const PlannedCase& one) { return print(one.subject); });
  for (const PlannedCase& one : plan.cases)
    if (const std::string reason = why_not(one.subject, hello); !reason.empty())
      return bad_input(fmt::format("{}: {}", print(one.subject), reason));
  const auto result = (*session)->run(plan, knowledge.rules, {});
  if (!result) {
    fmt::print(stderr, "ordercheck compare: {}\n", result.error().message);
    return kUndecided;
  }
  if (!result->plan.not_planned.empty()) {
    const NotPlanned& declined = result->plan.not_planned.front();
    return bad_input(fmt::format("{}: {}", print(declined.subject), declined.reason));
  }
  const Outcome &one = *find_outcome(*result, left), &other = *find_outcome(*result, right);
  fmt::print("\nWhat the two runs showed:\n{}", render_two_runs(one, other, hello));
  return worst({exit_code_of(one.judgement.verdict), exit_code_of(other.judgement.verdict)});
}

int run_compare(const CompareOptions& options) {
  const auto stacks = stacks_of(options.words, 2);
  if (!stacks) return bad_input(stacks.error().message);
  const auto knowledge = load_knowledge(options.rules);
  if (!knowledge) return bad_input(knowledge.error().message);
  const auto target = target_for(options.target, *knowledge);
  if (!target) return bad_input(target.error().message);

  const Stack &left = stacks->front(), &right = stacks->back();
  const Judge judge(knowledge->rules, *target, knowledge->observations);
  const bool assumed = !names_version(options.target);
  fmt::print("left   {}\nright  {}\n\nWhat changes from left to right:\n{}", print(left), print(right),
             render_text(changes_between(left, right, judge), judge));
  std::vector<int> codes{print_findings("left", left, judge, assumed)};
  if (left != right) codes.push_back(print_findings("right", right, judge, assumed));
  if (!options.run) {
    print_evidence(left, right, knowledge->observations);
    return worst(codes);
  }
  const int ran = run_both(left, right, options, *knowledge);
  if (ran == kBadInput) return kBadInput;
  codes.push_back(ran);
  return worst(codes);
}

}  // namespace

void add_compare(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand("compare", "Say what changes from one stack to another, and what it does");
  command->group(kAsk);
  command->add_option("stacks", options->words, "Two stacks, each quoted: tp=2,ac,fsdp=2 ac,tp=2,fsdp=2")->required();
  command->add_option("--for", options->target, "Judge for an engine and version: pytorch-2.11, pytorch, native")
      ->capture_default_str();
  command->add_flag("--run", options->run, "Run both on the native engine instead of looking at committed runs");
  command->add_option("--timeout", options->timeout, "Seconds for one run")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--rules", options->rules, "The folder of rule pages");
  command->callback([options, &exit_code] { exit_code = run_compare(*options); });
}

}  // namespace ordercheck::cli
