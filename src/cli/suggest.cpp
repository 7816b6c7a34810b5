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
  if (stacks->front().items.empty()) return bad_input("expected at least one transform, got none: ordercheck suggest fsdp=2,ac,tp=2");
  const auto knowledge = load_knowledge(question.rules);
  if (!knowledge) return bad_input(knowledge.error().message);
  const auto target = target_for(question.target, *knowledge);
  if (!target) return bad_input(target.error().message);

  const Judge judge(knowledge->rules, *target, knowledge->observations);
  Suggestion suggestion = suggest(stacks->front(), judge);
  suggestion.report.target_assumed = !names_version(question.target);
  fmt::print("{}", question.format == "json" ? render_json(suggestion, judge) : render_text(suggestion, judge, wants_colour()));
  return has_error(suggestion.report.findings) ? kDecidedAgainst : kNothingAgainst;
}

}  // namespace

void add_suggest(CLI::App& app, int& exit_code) {
  auto question = std::make_shared<Question>();
  CLI::App* command = app.add_subcommand("suggest", "Put transforms into the order that the rules recommend, with reasons");
  command->group(kAsk);
  add_question(*command, "transforms", "The transforms, in any order: fsdp=2,ac,tp=2", *question);
  command->callback([question, &exit_code] { exit_code = run_suggest(*question); });
}

}  // namespace ordercheck::cli
