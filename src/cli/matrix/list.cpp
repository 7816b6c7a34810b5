// ordercheck matrix list: lists the planned cases, and the unplanned ones with reasons.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/matrix/matrix.h"
#include "cli/shared/engine_session.h"
#include "cli/shared/format_option.h"
#include "report/text/summary.h"

namespace ordercheck::cli {
namespace {

Result<int> list_cases(const MatrixCommand& command) {
  const auto specs = builds_of(command);
  if (!specs) return specs.error();
  std::vector<std::string> objects;
  for (const EngineSpec& spec : *specs) {
    auto session = EngineSession::start(spec, 1, timeout_of(command.engine, spec));
    if (!session) return session.error();
    const auto planned = plan_of(command, (*session)->runner().hello());
    if (!planned) return planned.error();
    if (command.format == "json")
      objects.push_back(render_plan_json(planned->plan));
    else
      fmt::print("{}{}", heading(spec, specs->size()), render_plan_text(planned->plan));
  }
  if (!objects.empty()) fmt::print("{}", objects_text(objects));
  return kNothingAgainst;
}

}  // namespace

void add_matrix_list(CLI::App& matrix, const std::shared_ptr<MatrixCommand>& options, int& exit_code) {
  CLI::App* list = matrix.add_subcommand("list", "List the planned cases, and which are left out and why");
  add_folders(list, *options);
  add_selection(list, *options);
  add_format_option(*list, options->format);
  show_examples(*list, {"matrix list --only '*tp=2*'"});
  list->callback([options, &exit_code] { exit_code = ended("matrix", list_cases(*options)); });
}

}  // namespace ordercheck::cli
