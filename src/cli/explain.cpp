// ordercheck explain RULE | TERM | TRANSFORM,TRANSFORM: what stands behind a word.
#include "cli/explain.h"

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/question.h"
#include "rule/glossary.h"
#include "rule/load.h"
#include "stack/notation.h"

namespace ordercheck::cli {
namespace {

struct ExplainOptions {
  std::vector<std::string> words;
  std::string target = "pytorch";
  std::string rules;
};

int bad_input(const std::string& message) {
  fmt::print(stderr, "ordercheck explain: {}\n", message);
  return kBadInput;
}

int explain_pair_of(const std::string& text, const ExplainOptions& options, const Knowledge& knowledge) {
  const Result<Stack> stack = parse_stack(text);
  if (!stack) return bad_input(stack.error().message);
  if (stack->items.size() != 2)
    return bad_input(fmt::format("expected one word or two transforms, got {}; ordercheck suggest {} explains a whole stack",
                                 stack->items.size(), text));
  const Result<Target> target = target_for(options.target, knowledge);
  if (!target) return bad_input(target.error().message);
  fmt::print("{}", explain_two(stack->items[0], stack->items[1], knowledge, *target));
  return kNothingAgainst;
}

int run_explain(const ExplainOptions& options) {
  const Result<Knowledge> knowledge = load_knowledge(options.rules);
  if (!knowledge) return bad_input(knowledge.error().message);
  if (options.words.empty()) {
    fmt::print("{}", list_terms());
    return kNothingAgainst;
  }
  const std::string word = join(options.words, " ");
  if (const Rule* rule = find_rule(knowledge->rules, word)) {
    fmt::print("{}", explain_rule(*rule, *knowledge));
    return kNothingAgainst;
  }
  if (const std::string text = explain_terms(word, *knowledge); !text.empty()) {
    fmt::print("{}", text);
    return kNothingAgainst;
  }
  if (options.words.size() > 1 || word.find(',') != std::string::npos)
    return explain_pair_of(join(options.words, ","), options, *knowledge);
  std::vector<std::string> known = known_words(glossary());
  for (const Rule& each : knowledge->rules) known.insert(known.end(), {each.id, each.slug});
  const auto near = nearest(word, known);
  return bad_input(fmt::format("no rule, transform or term '{}'; {}", word,
                               near ? fmt::format("did you mean '{}'?", *near)
                                    : "ordercheck explain lists the terms, ordercheck rules the rules"));
}

}  // namespace

void add_explain(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* command = app.add_subcommand("explain", "Explain a rule, a word, or both orders of two transforms");
  command->group(kAsk);
  command->add_option("words", options->words, "A rule (ORD-001, fsdp-before-tp), a word (mesh, reshard), or two transforms "
                                              "(ac,fsdp); nothing lists all words");
  command->add_option("--for", options->target, "Judge for an engine and version: pytorch-2.11, pytorch, native")
      ->capture_default_str();
  command->add_option("--rules", options->rules, "The folder of rule pages");
  command->callback([options, &exit_code] { exit_code = run_explain(*options); });
}

}  // namespace ordercheck::cli
