// ordercheck explain RULE | TERM | TRANSFORM,TRANSFORM | MESSAGE: explains a word, with its runs and sources.
#include "cli/explain/explain.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/displayable.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/shared/format_option.h"
#include "cli/shared/question.h"
#include "import/recording/recording.h"
#include "import/recording/story.h"
#include "rules/check.h"
#include "rules/glossary.h"
#include "rules/load.h"
#include "rules/pair_answer.h"
#include "stack/notation.h"

namespace ordercheck::cli {
namespace {

struct ExplainOptions {
  std::vector<std::string> words;
  std::string target;  // "" means pytorch for two transforms, every engine for a rule
  std::string error;   // a log; "-" for standard input
  std::string rules;
  std::string format = "text";
};

struct Explained {
  // What `subject` is: words (none: the list of all), word, rule, transforms, message, log or recording.
  const char* kind = "words";
  std::string subject;
  std::string text;
  std::vector<std::string> rules = {};  // ids of the rules that the text is about, most relevant first
  int exit_code = kNothingAgainst;
};

std::string render(const Explained& answer, const std::string& format) {
  if (format != "json") return answer.text;
  const nlohmann::ordered_json whole{{"schema", "ordercheck/explain/1"},
                                     {"kind", answer.kind},
                                     {"subject", displayable(answer.subject)},
                                     {"rules", answer.rules},
                                     {"text", displayable(answer.text)}};
  return whole.dump(2) + "\n";
}

// Finds a rule by its file name ("fsdp-before-tp"), or by its id ("ORD-004") in any letter case.
const Rule* find_page(const std::vector<Rule>& rules, std::string word) {
  if (const Rule* rule = find_rule(rules, word)) return rule;
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return find_rule(rules, word);
}

Result<Explained> explain_pair_of(const Stack& stack, const ExplainOptions& options, const Knowledge& knowledge) {
  if (stack.items.size() != 2)
    return Error{fmt::format("expected one word or two transforms, got {}; ordercheck suggest {} explains a whole stack",
                             stack.items.size(), print(stack))};
  const auto settled = settled_target(options.target, "", knowledge);
  if (!settled) return settled.error();
  const Item &one = stack.items[0], &other = stack.items[1];
  Explained answer{.kind = "transforms", .subject = print(stack)};
  answer.text = explain_two(one, other, knowledge, settled->target);
  const PairPages pages = pages_about(one, other, Judge(knowledge.rules, settled->target, knowledge.observations));
  for (const auto* list : {&pages.straight, &pages.turned, &pages.any, &pages.others})
    for (const Rule* rule : *list)
      if (!contains(answer.rules, rule->id)) answer.rules.push_back(rule->id);
  return answer;
}

Result<Explained> explain_page(const Rule& rule, const ExplainOptions& options, const Knowledge& knowledge) {
  std::optional<Target> asked;
  if (!options.target.empty()) {
    const auto settled = settled_target(options.target, "", knowledge);
    if (!settled) return settled.error();
    asked = settled->target;
  }
  return Explained{.kind = "rule", .subject = rule.id, .text = explain_rule(rule, knowledge, asked), .rules = {rule.id}};
}

Explained of_message(const std::string& message, const Knowledge& knowledge) {
  MessageAnswer answer = explain_message(message, knowledge);
  return {.kind = "message", .subject = message, .text = std::move(answer.text), .rules = std::move(answer.rules)};
}

Result<Explained> unknown_word(const std::string& word, const Knowledge& knowledge) {
  std::vector<std::string> known = known_words(glossary());
  for (const Rule& each : knowledge.rules) known.insert(known.end(), {each.id, each.slug});
  const auto near = nearest(word, known);
  if (!near)
    if (Explained answer = of_message(word, knowledge); !answer.text.empty()) return answer;
  return Error{fmt::format(
      "no rule, transform or term '{}'; {}", word,
      near ? fmt::format("did you mean '{}'?", *near) : "ordercheck explain lists the terms, ordercheck rules the rules")};
}

Result<Explained> explain_log(const std::string& path, const Knowledge& knowledge) {
  const auto answer = explain_errors(path, knowledge);
  if (!answer) return answer.error();
  return Explained{.kind = "log",
                   .subject = path,
                   .text = answer->text,
                   .rules = answer->rules,
                   .exit_code = answer->is_known ? kNothingAgainst : kUndecided};
}

Result<Explained> explain_recording(const std::string& path) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) return Error{fmt::format("there is no file {}", one_line(path))};
  const auto text = read_file(path);
  if (!text) return text.error();
  const auto recording = parse_recording(*text, path);
  if (!recording) return recording.error();
  return Explained{.kind = "recording", .subject = path, .text = tell_recording(*recording)};
}

// Without text if nothing is known of a message.
Result<Explained> explain_words(const ExplainOptions& options, const Knowledge& knowledge) {
  if (!options.error.empty()) return explain_log(options.error, knowledge);
  if (options.words.empty()) return Explained{.subject = "", .text = list_terms()};
  const std::string word = join(options.words, " ");
  if (options.words.size() == 1 && word.ends_with(".json")) return explain_recording(word);
  for (const std::vector<Rule>* pages : {&knowledge.rules, &knowledge.retired})
    if (const Rule* rule = find_page(*pages, word)) return explain_page(*rule, options, knowledge);
  if (std::string text = explain_terms(word, knowledge); !text.empty())
    return Explained{.kind = "word", .subject = word, .text = std::move(text)};
  // A single word that is no transform is an unknown term; with a character of the stack notation it is a malformed stack.
  const Result<Stack> stack = parse_stack(join(options.words, ","));
  const bool one_word = options.words.size() == 1 && word.find_first_of(",(>:=@") == std::string::npos;
  const bool is_prose = std::ranges::count(word, ' ') > 1 && word.find("->") == std::string::npos;
  if (!stack && is_prose) return of_message(word, knowledge);
  if (!stack && !one_word) return stack.error();
  if (!stack || stack->items.empty()) return unknown_word(word, knowledge);
  if (stack->items.size() > 1) return explain_pair_of(*stack, options, knowledge);
  const std::string& name = stack->items.front().name;
  return Explained{.kind = "word", .subject = name, .text = explain_terms(name, knowledge)};
}

Result<int> run_explain(const ExplainOptions& options) {
  const Result<Knowledge> knowledge = load_knowledge(options.rules);
  if (!knowledge) return knowledge.error();
  const auto answer = explain_words(options, *knowledge);
  if (!answer) return answer.error();
  if (answer->text.empty())
    return undecided(
        "explain", fmt::format("no rule, no committed run and no citation holds the message '{}'", one_line(answer->subject)));
  fmt::print("{}", render(*answer, options.format));
  return answer->exit_code;
}

}  // namespace

void add_explain(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* command = app.add_subcommand(
      "explain", "Explain a rule, a word, both orders of two transforms, an error message, a log, or a recording");
  command->group(kAsk);
  command->add_option("words", options->words,
                      "A rule (ORD-001, fsdp-before-tp), a word (mesh, reshard), two transforms "
                      "(ac,fsdp), the message of an error, or a recording (job.json); nothing lists all words");
  command->add_option("--error", options->error, "A log or traceback to search; - reads stdin")->excludes("words");
  command->add_option("--for", options->target, "Check for an engine and version: pytorch-2.11, pytorch, native");
  command->add_option("--rules", options->rules, "The folder of rules");
  add_format_option(*command, options->format);
  show_examples(*command, {"explain ORD-004", "explain ac,fsdp", "explain \"got mixed torch.Tensor and DTensor\"",
                           "explain --error train.log"});
  command->callback([options, &exit_code] { exit_code = ended("explain", run_explain(*options)); });
}

}  // namespace ordercheck::cli
