// ordercheck suggest TRANSFORMS: in which order to apply them, and why.
#include <memory>
#include <string>

#include <fmt/format.h>

#include "check/suggestion.h"
#include "cli/command.h"
#include "cli/shared/question.h"

namespace ordercheck::cli {
namespace {

Result<int> run_suggest(const Question& question) {
  const auto asked = read_question(question);
  if (!asked) return asked.error();
  if (asked->stack.items.empty()) return Error{"expected at least one transform, got none: ordercheck suggest fsdp=2,ac,tp=2"};
  const Judge judge(asked->knowledge.rules, asked->settled.target, asked->knowledge.observations, asked->job);
  Suggestion suggestion = suggest(asked->stack, judge);
  suggestion.report.target_assumed = asked->settled.assumed;
  suggestion.report.newest_run = asked->settled.newest_run;
  fmt::print("{}", question.format == "json" ? render_json(suggestion, judge) : render_text(suggestion, judge, wants_colour()));
  return exit_code_of(suggestion.report, false);
}

}  // namespace

void add_suggest(CLI::App& app, int& exit_code) {
  auto question = std::make_shared<Question>();
  CLI::App* command = app.add_subcommand("suggest", "Put transforms into the order that the rules recommend, with reasons");
  command->group(kAsk);
  add_question(*command, "transforms", "The transforms, in any order: fsdp=2,ac,tp=2", *question);
  show_examples(*command, {"suggest fsdp=4,compile,ac,tp=2"});
  command->callback([question, &exit_code] { exit_code = ended("suggest", run_suggest(*question)); });
}

}  // namespace ordercheck::cli
