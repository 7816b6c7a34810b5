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
  int ranks = 0;
  bool strict = false;
};

int bad_input(const std::string& message) {
  fmt::print(stderr, "ordercheck check: {}\n", message);
  return kBadInput;
}

int run_check(const CheckOptions& options) {
  const auto stacks = stacks_of(options.question.words);
  if (!stacks) return bad_input(stacks.error().message);
  const auto knowledge = load_knowledge(options.question.rules);
  if (!knowledge) return bad_input(knowledge.error().message);
  const auto target = target_for(options.question.target, *knowledge);
  if (!target) return bad_input(target.error().message);

  const std::optional<int> ranks = options.ranks > 0 ? std::optional(options.ranks) : std::nullopt;
  Report report = check(stacks->front(), Judge(knowledge->rules, *target, knowledge->observations, ranks));
  report.target_assumed = !names_version(options.question.target);
  fmt::print("{}", options.question.format == "json" ? render_json(report) : render_text(report, wants_colour()));
  const bool against = count_of(report, Severity::error) > 0 || (options.strict && !report.findings.empty());
  return against ? kDecidedAgainst : kNothingAgainst;
}

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand("check", "Say whether a stack is legal, and why not")->group(kAsk);
  add_question(*command, "stack", "The stack, quoted: pp=2,tp=2,ac,compile,fsdp=2", options->question);
  command->add_option("--world", options->ranks, "How many ranks there are")->check(CLI::PositiveNumber);
  command->add_flag("--strict", options->strict, "Exit 1 on advice too");
  command->callback([options, &exit_code] { exit_code = run_check(*options); });
}

}  // namespace ordercheck::cli
