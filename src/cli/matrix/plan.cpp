// ordercheck matrix plan: the cases, and what is not planned and why.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/matrix/matrix.h"
#include "cli/shared/engine_session.h"
#include "report/summary.h"

namespace ordercheck::cli {
namespace {

Result<int> run_plan(const MatrixCommand& command) {
  const auto specs = builds_of(command);
  if (!specs) return specs.error();
  if (specs->size() > 1 && command.format == "github")
    return Error{"--format github is the plan of one job matrix; name one interpreter with --python"};
  std::vector<std::string> objects;
  for (const EngineSpec& spec : *specs) {
    auto session = EngineSession::start(spec, 1, timeout_of(command.engine, spec));
    if (!session) return session.error();
    const auto planned = plan_of(command, (*session)->runner().hello());
    if (!planned) return planned.error();
    if (command.format == "json")
      objects.push_back(render_plan_json(planned->plan));
    else
      fmt::print(
          "{}{}", heading(spec, specs->size()),
          command.format == "github" ? render_plan_github(planned->plan, command.shards) : render_plan_text(planned->plan));
  }
  if (!objects.empty()) fmt::print("{}", objects_text(objects));
  return kNothingAgainst;
}

}  // namespace

void add_matrix_plan(CLI::App& matrix, const std::shared_ptr<MatrixCommand>& options, int& exit_code) {
  CLI::App* plan = matrix.add_subcommand("plan", "List the cases, and what is not planned and why");
  add_folders(plan, *options);
  add_selection(plan, *options);
  plan->add_option("--format", options->format, "text, json or github")
      ->check(CLI::IsMember({"text", "json", "github"}))
      ->capture_default_str();
  plan->add_option("--shards", options->shards, "Jobs of a GitHub matrix")->check(CLI::PositiveNumber)->capture_default_str();
  show_examples(*plan, {"matrix plan --only '*tp=2*'", "matrix plan --slow --format github --shards 8"});
  plan->callback([options, &exit_code] { exit_code = ended("matrix", run_plan(*options)); });
}

}  // namespace ordercheck::cli
