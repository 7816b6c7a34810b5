// ordercheck matrix show: the evidence that is committed.
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/matrix/matrix.h"
#include "evidence/table.h"
#include "report/summary.h"

namespace ordercheck::cli {
namespace {

Result<int> run_show(const MatrixCommand& command) {
  const auto folder = matrix_folder(command);
  if (!folder) return folder.error();
  const auto tables = read_evidence(*folder / "evidence");
  if (!tables) return tables.error();
  if (tables->empty())
    return Error{fmt::format("no evidence in {}; `ordercheck matrix run --write` writes it", (*folder / "evidence").string())};
  for (const EvidenceTable& table : *tables) fmt::print("{}", render_evidence_text(table));
  return kNothingAgainst;
}

}  // namespace

void add_matrix_show(CLI::App& matrix, const std::shared_ptr<MatrixCommand>& options, int& exit_code) {
  CLI::App* show = matrix.add_subcommand("show", "Print the evidence that is committed");
  add_folders(show, *options);
  show_examples(*show, {"matrix show"});
  show->callback([options, &exit_code] { exit_code = ended("matrix", run_show(*options)); });
}

}  // namespace ordercheck::cli
