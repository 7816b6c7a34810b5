// ordercheck suggest TRANSFORMS: in which order to apply them, and why.
#include <memory>
#include <string>

#include <fmt/format.h>

#include "check/suggestion.h"
#include "cli/command.h"
#include "cli/question.h"

namespace ordercheck::cli {
namespace {

int bad_input(const std::string& message) {
  fmt::print(stderr, "ordercheck suggest: {}\n", message);
  return kBadInput;
}

int run_suggest(const Question& question) {
  const auto stacks = stacks_of(question.words);
  if (!stacks) return bad_input(stacks.error().message);
  if (stacks->front().items.empty())
    return bad_input("expected at least one transform, got none: ordercheck suggest fsdp=2,ac,tp=2");
  const auto asked = asked_target(question.target, question.python);
  if (!asked) return bad_input(asked.error().message);
  const auto knowledge = load_knowledge(question.rules, *asked);
  if (!knowledge) return bad_input(knowledge.error().message);
  const auto meant = target_for(question.target, question.python, *knowledge);
  if (!meant) return bad_input(meant.error().message);
  const auto job = job_of(question.job);
  if (!job) return bad_input(job.error().message);

  const Judge judge(knowledge->rules, meant->target, knowledge->observations, *job);
  Suggestion suggestion = suggest(stacks->front(), judge);
  suggestion.report.target_assumed = meant->assumed;
  fmt::print("{}", question.format == "json" ? render_json(suggestion, judge) : render_text(suggestion, judge, wants_colour()));
  return has_error(suggestion.report.findings) ? kDecidedAgainst : kNothingAgainst;
}

}  // namespace

void add_suggest(CLI::App& app, int& exit_code) {
  auto question = std::make_shared<Question>();
  CLI::App* command = app.add_subcommand("suggest", "Put transforms into the order that the rules recommend, with reasons");
  command->group(kAsk);
  add_question(*command, "transforms", "The transforms, in any order: fsdp=2,ac,tp=2", *question);
  show_examples(*command, {"suggest fsdp=4,compile,ac,tp=2"});
  command->callback([question, &exit_code] { exit_code = run_suggest(*question); });
}

}  // namespace ordercheck::cli
