// ordercheck completion SHELL: prints a script that completes subcommands, flags, transforms, rules and terms.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/completion/candidates.h"

namespace ordercheck::cli {
namespace {

struct ShellScript {
  const char* shell;
  const char* text;
};
constexpr ShellScript kScripts[] = {
#include "cli/completion_texts.inc"
};

struct CompletionOptions {
  std::vector<std::string> words;  // a shell, or with --words the words typed so far
  bool candidates = false;
};

Result<int> run_completion(const CLI::App& app, const CompletionOptions& options) {
  if (options.candidates) {
    for (const std::string& word : candidates_for(app, options.words)) fmt::print("{}\n", word);
    return kNothingAgainst;
  }
  for (const ShellScript& script : kScripts)
    if (options.words == std::vector<std::string>{script.shell}) {
      fmt::print("{}", script.text);
      return kNothingAgainst;
    }
  return Error{"expected one of bash, zsh, fish; source <(ordercheck completion bash) turns it on"};
}

}  // namespace

void add_completion(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CompletionOptions>();
  CLI::App* command = app.add_subcommand("completion", "Print a shell completion script");
  command->group(kKeep);
  command->add_option("shell", options->words, "bash, zsh or fish");
  // Hidden flag for the scripts: prints the possible next words.
  command->add_flag("--words", options->candidates)->group("");
  show_examples(*command, {"completion bash"});
  command->callback([&app, options, &exit_code] { exit_code = ended("completion", run_completion(app, *options)); });
}

}  // namespace ordercheck::cli
