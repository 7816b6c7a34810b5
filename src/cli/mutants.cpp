// ordercheck mutants list|run: small errors put in on purpose, to show that the comparison sees them.
#include "cli/mutants/mutants.h"

#include "cli/command.h"

namespace ordercheck::cli {

void add_mutants(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<MutantsCommand>();
  CLI::App* mutants = app.add_subcommand("mutants", "Put small errors in on purpose, and say whether each is seen");
  mutants->group(kKeep);
  mutants->require_subcommand(1);
  show_examples(*mutants, {"mutants list", "mutants run drop_sum"});
  add_mutants_list(*mutants, options, exit_code);
  add_mutants_run(*mutants, options, exit_code);
}

}  // namespace ordercheck::cli
