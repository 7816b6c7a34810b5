// ordercheck check STACK: is it legal, and why not?
#include "check/check.h"

#include <memory>
#include <string>

#include <fmt/format.h>

#include "check/render.h"
#include "cli/command.h"
#include "cli/shared/question.h"

namespace ordercheck::cli {
namespace {

struct CheckOptions {
  Question question;
  bool strict = false;
};

Result<int> run_check(const CheckOptions& options) {
  const auto asked = ask(options.question);
  if (!asked) return asked.error();
  const Knowledge& known = asked->knowledge;
  Report report = check(asked->stack, Judge(known.rules, asked->meant.target, known.observations, asked->job));
  report.target_assumed = asked->meant.assumed;
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
  command->callback([options, &exit_code] { exit_code = ended("check", run_check(*options)); });
}

}  // namespace ordercheck::cli
