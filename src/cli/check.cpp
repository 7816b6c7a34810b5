// ordercheck check STACK: is it legal, and why not?
#include "check/check.h"

#include <memory>
#include <string>

#include <fmt/format.h>

#include "check/render.h"
#include "cli/command.h"
#include "cli/question.h"

namespace ordercheck::cli {
namespace {

struct CheckOptions {
  Question question;
  bool strict = false;
};

int bad_input(const std::string& message) {
  fmt::print(stderr, "ordercheck check: {}\n", message);
  return kBadInput;
}

int run_check(const CheckOptions& options) {
  const auto stacks = stacks_of(options.question.words);
  if (!stacks) return bad_input(stacks.error().message);
  const auto asked = asked_target(options.question.target, options.question.python);
  if (!asked) return bad_input(asked.error().message);
  const auto knowledge = load_knowledge(options.question.rules, *asked);
  if (!knowledge) return bad_input(knowledge.error().message);
  const auto meant = target_for(options.question.target, options.question.python, *knowledge);
  if (!meant) return bad_input(meant.error().message);
  const auto job = job_of(options.question.job);
  if (!job) return bad_input(job.error().message);

  Report report = check(stacks->front(), Judge(knowledge->rules, meant->target, knowledge->observations, *job));
  report.target_assumed = meant->assumed;
  fmt::print("{}", options.question.format == "json" ? render_json(report) : render_text(report, wants_colour()));
  const bool against = count_of(report, Severity::error) > 0 || (options.strict && !report.findings.empty());
  return against ? kDecidedAgainst : kNothingAgainst;
}

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand("check", "Say whether a stack is legal, and why not")->group(kAsk);
  add_question(*command, "stack", "The stack, quoted: pp=2,tp=2,ac,compile,fsdp=2", options->question);
  command->add_flag("--strict", options->strict, "Exit 1 on advice too");
  show_examples(*command, {"check pp=2,tp=2,ac,compile,fsdp=2", "check fsdp=2,tp=3 --set heads=32 --for pytorch-2.11"});
  command->callback([options, &exit_code] { exit_code = run_check(*options); });
}

}  // namespace ordercheck::cli
