// ordercheck check [STACK]: is it legal, and why not? Without a stack: are those of .ordercheck.toml?
#include "check/check.h"

#include <memory>
#include <string>

#include <fmt/format.h>

#include "check/render.h"
#include "cli/command.h"
#include "cli/project/project.h"
#include "cli/shared/question.h"

namespace ordercheck::cli {
namespace {

struct CheckOptions {
  Question question;
  std::string today;
  bool strict = false;
};

Result<int> run_check(const CheckOptions& options) {
  const std::string& format = options.question.format;
  if (options.question.words.empty()) return check_project(options.question, options.today, options.strict);
  if (format != "text" && format != "json")
    return Error{
        fmt::format("--format {} is for the stacks of .ordercheck.toml; leave the stack out, or ask for text or json", format)};
  const auto asked = ask(options.question);
  if (!asked) return asked.error();
  const Knowledge& known = asked->knowledge;
  Report report = check(asked->stack, Judge(known.rules, asked->meant.target, known.observations, asked->job));
  report.target_assumed = asked->meant.assumed;
  fmt::print("{}", format == "json" ? render_json(report) : render_text(report, wants_colour()));
  const bool against = count_of(report, Severity::error) > 0 || (options.strict && !report.findings.empty());
  return against ? kDecidedAgainst : kNothingAgainst;
}

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand("check", "Say whether a stack is legal, and why not")->group(kAsk);
  add_question(*command, "stack",
               "The stack, quoted: pp=2,tp=2,ac,compile,fsdp=2; without one those of .ordercheck.toml, here or above",
               options->question);
  command->get_option("stack")->required(false);
  command->remove_option(command->get_option("--format"));
  command->add_option("--format", options->question.format, "text or json; of .ordercheck.toml also sarif, junit or github")
      ->check(CLI::IsMember(project_formats()))
      ->capture_default_str();
  command->add_option("--today", options->today, "The day, YYYY-MM-DD, by which entries of .ordercheck.toml have expired");
  command->add_flag("--strict", options->strict, "Exit 1 on advice too");
  show_examples(*command, {"check pp=2,tp=2,ac,compile,fsdp=2", "check fsdp=2,tp=3 --set heads=32 --for pytorch-2.11"});
  command->callback([options, &exit_code] { exit_code = ended("check", run_check(*options)); });
}

}  // namespace ordercheck::cli
