// ordercheck check STACK: is it legal, and why not?
#include "check/check.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "check/render.h"
#include "cli/command.h"
#include "cli/knowledge.h"
#include "stack/notation.h"

namespace ordercheck::cli {
namespace {

struct CheckOptions {
  std::vector<std::string> words;
  std::string target = "pytorch";
  std::string format = "text";
  std::string rules;
  int ranks = 0;
  bool strict = false;
};

int bad_input(const std::string& message) {
  fmt::print(stderr, "ordercheck check: {}\n", message);
  return kBadInput;
}

// An unquoted "PP -> TP" reaches us as "PP" and "-": the shell read '> TP' as a file to write to.
std::string shell_mistake(const std::vector<std::string>& words) {
  if (std::ranges::find(words, "-") != words.end())
    return "a lone '-' among the arguments: the shell took an unquoted '->' as a redirection, and the rest of the stack "
           "with it (a file may have been written); quote the stack";
  if (words.size() != 1) return fmt::format("expected one stack, got {} words; quote it", words.size());
  return "";
}

bool wants_colour() { return isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr; }

int run_check(const CheckOptions& options) {
  if (const std::string mistake = shell_mistake(options.words); !mistake.empty()) return bad_input(mistake);
  const Result<Stack> stack = parse_stack(options.words.front());
  if (!stack) return bad_input(stack.error().message);
  const Result<Target> asked = parse_target(options.target);
  if (!asked) return bad_input(asked.error().message);
  const Result<Knowledge> knowledge = load_knowledge(options.rules);
  if (!knowledge) return bad_input(knowledge.error().message);
  const Result<Target> target = settle_target(*asked, knowledge->rules, knowledge->observations);
  if (!target) return bad_input(target.error().message);

  const std::optional<int> ranks = options.ranks > 0 ? std::optional(options.ranks) : std::nullopt;
  Report report = check(*stack, Judge(knowledge->rules, *target, knowledge->observations, ranks));
  report.target_assumed = !asked->version;
  fmt::print("{}", options.format == "json" ? render_json(report) : render_text(report, wants_colour()));
  const bool against = count_of(report, Severity::error) > 0 || (options.strict && !report.findings.empty());
  return against ? kDecidedAgainst : kNothingAgainst;
}

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand("check", "Say whether a stack is legal, and why not");
  command->add_option("stack", options->words, "The stack, quoted: pp=2,tp=2,ac,compile,fsdp=2")->required();
  command->add_option("--for", options->target, "Judge for an engine and version: pytorch-2.11, pytorch, native")
      ->capture_default_str();
  command->add_option("--world", options->ranks, "How many ranks there are")->check(CLI::PositiveNumber);
  command->add_flag("--strict", options->strict, "Exit 1 on advice too");
  command->add_option("--format", options->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->add_option("--rules", options->rules, "The folder of rule pages");
  command->callback([options, &exit_code] { exit_code = run_check(*options); });
}

}  // namespace ordercheck::cli
