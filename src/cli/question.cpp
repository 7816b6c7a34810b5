#include "cli/question.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "check/check.h"
#include "stack/notation.h"

namespace ordercheck::cli {
namespace {

// An unquoted "PP -> TP" reaches us as "PP" and "-": the shell read '> TP' as a file to write to.
std::string shell_mistake(const std::vector<std::string>& words, std::size_t count) {
  if (std::ranges::find(words, "-") != words.end())
    return "a lone '-' among the arguments: the shell took an unquoted '->' as a redirection, and the rest of the stack "
           "with it (a file may have been written); quote the stack";
  if (words.size() == count) return "";
  return count == 1 ? fmt::format("expected one stack, got {} words; quote it", words.size())
                    : fmt::format("expected {} stacks, got {}; quote each", count, words.size());
}

}  // namespace

void add_question(CLI::App& command, const char* name, const char* help, Question& question) {
  command.add_option(name, question.words, help)->required();
  command.add_option("--for", question.target, "Judge for an engine and version: pytorch-2.11, pytorch, native")
      ->capture_default_str();
  command.add_option("--format", question.format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command.add_option("--rules", question.rules, "The folder of rule pages");
}

Result<std::vector<Stack>> stacks_of(const std::vector<std::string>& words, std::size_t count) {
  if (std::string mistake = shell_mistake(words, count); !mistake.empty()) return Error{std::move(mistake)};
  std::vector<Stack> stacks;
  for (const std::string& word : words) {
    Result<Stack> stack = parse_stack(word);
    if (!stack) return stack.error();
    stacks.push_back(std::move(stack).value());
  }
  return stacks;
}

Result<Target> target_for(const std::string& written, const Knowledge& knowledge) {
  const Result<Target> asked = parse_target(written);
  if (!asked) return asked.error();
  return settle_target(*asked, knowledge.rules, knowledge.observations);
}

bool names_version(const std::string& written) {
  const Result<Target> asked = parse_target(written);
  return asked && asked->version.has_value();
}

bool wants_colour() { return isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr; }

}  // namespace ordercheck::cli
