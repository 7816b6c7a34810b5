#include <fmt/format.h>

#include "base/text.h"
#include "cli/mutants/mutants.h"
#include "cli/shared/format_option.h"
#include "knowledge/folder.h"

namespace ordercheck::cli {

Result<MutantsEngine> start_engine_of(const MutantsCommand& command) {
  const auto folders = find_folders(command.rules);
  if (!folders) return folders.error();
  const auto known = known_engines(command.rules);
  if (!known) return known.error();
  const auto specs = engines_of(command.engine, *known);
  if (!specs) return specs.error();
  if (specs->size() > 1) return Error{"mutants are of one build; name one interpreter with --python"};
  auto session = EngineSession::start(specs->front(), 0, timeout_of(command.engine, specs->front()));
  if (!session) return session.error();
  const std::string& engine = (*session)->runner().hello().engine;
  if (!contains(engines_with_mutants(folders->matrix), engine))
    return Error{fmt::format("the {} engine has no table of mutants, {}; --engine names another", engine,
                             mutant_rows_path(folders->matrix, engine).string())};
  auto table = load_mutant_rows(folders->matrix, engine);
  if (!table) return table.error();
  return MutantsEngine{.matrix = folders->matrix, .session = *std::move(session), .table = *std::move(table)};
}

void add_mutants_options(CLI::App* command, MutantsCommand& options) {
  add_engine_options(command, options.engine);
  command->add_option("--rules", options.rules, "The folder of rules, beside which matrix/mutants lies");
  add_format_option(*command, options.format);
}

}  // namespace ordercheck::cli
