// ordercheck mutants list: every mutant that an engine knows, what it breaks, and the cases that it is run on.
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/mutants/mutants.h"
#include "report/text/mutants_view.h"

namespace ordercheck::cli {
namespace {

Result<int> run_list(const MutantsCommand& command) {
  const auto engine = start_engine_of(command);
  if (!engine) return engine.error();
  const Hello& hello = engine->session->runner().hello();
  fmt::print("{}", command.format == "json" ? render_mutants_json(hello, engine->table.rows)
                                            : render_mutants_text(hello, engine->table.rows));
  return kNothingAgainst;
}

}  // namespace

void add_mutants_list(CLI::App& mutants, const std::shared_ptr<MutantsCommand>& options, int& exit_code) {
  CLI::App* list = mutants.add_subcommand("list", "List the mutants: what each breaks, what it imitates, and its cases");
  add_mutants_options(list, *options);
  show_examples(*list, {"mutants list"});
  list->callback([options, &exit_code] { exit_code = ended("mutants", run_list(*options)); });
}

}  // namespace ordercheck::cli
