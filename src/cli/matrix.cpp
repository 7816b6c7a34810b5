// ordercheck matrix list|run|merge|diff|show: lists and runs many cases, and compares predictions with observations.
#include "cli/matrix/matrix.h"

#include "cli/command.h"

namespace ordercheck::cli {

void add_matrix(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<MatrixCommand>();
  CLI::App* matrix = app.add_subcommand("matrix", "List and run many cases, and compare with predictions");
  matrix->group(kRun);
  matrix->require_subcommand(1);
  show_examples(*matrix, {"matrix list", "matrix run --only 'tp=2,*'", "matrix show"});
  add_matrix_list(*matrix, options, exit_code);
  add_matrix_run(*matrix, options, exit_code);
  add_matrix_merge(*matrix, options, exit_code);
  add_matrix_diff(*matrix, options, exit_code);
  add_matrix_show(*matrix, options, exit_code);
}

}  // namespace ordercheck::cli
