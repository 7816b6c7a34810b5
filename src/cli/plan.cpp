// ordercheck plan STACK: the placements that auto_parallel chose when the stack was run, node by node with what they cost.
#include <memory>
#include <string>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/shared/drawing.h"
#include "cli/shared/engine_choice.h"
#include "cli/shared/format_option.h"
#include "cli/shared/kept_run.h"
#include "report/text/plan_view.h"

namespace ordercheck::cli {
namespace {

struct PlanCommand {
  std::string stack;
  std::string format = "text";
  std::string out;
  EngineChoice engine;
};

std::string rendered(const PlanCommand& command, const KeptRun& run) {
  const PlanRecord& plan = run.record.plans.front();
  if (command.format == "json") return render_plan_json(plan, run.stack);
  return command.format == "text" ? render_plan_text(plan, run.stack) : render_plan_dot(plan, run.stack);
}

Result<int> run_plan(const PlanCommand& command) {
  const auto run = run_and_keep("plan", command.stack, command.engine, Keep::graphs);
  if (!run) return run.error();
  if (run->exit_code != kNothingAgainst) return run->exit_code;
  if (run->record.plans.empty())
    return Error{fmt::format("nothing was placed by plan; is there an auto_parallel in '{}'?", run->stack)};
  if (const Status written = write_picture(rendered(command, *run), command.format, command.out); !written)
    return written.error();
  return kNothingAgainst;
}

}  // namespace

void add_plan(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<PlanCommand>();
  CLI::App* command = app.add_subcommand("plan", "Print or draw the placements that auto_parallel chose, with their costs");
  command->group(kRun);
  command->add_option("stack", options->stack, "The stack, quoted: auto_parallel=2:tp=2")->required();
  command->add_option("--engine", options->engine.engine, "native (the default)");
  command->add_option("--format", options->format, "text, json, dot or svg")
      ->check(CLI::IsMember({"text", "json", "dot", "svg"}))
      ->capture_default_str();
  add_json_flag(*command, options->format);
  command->add_option("--out", options->out, "A file instead of stdout");
  add_timeout_option(command, options->engine);
  show_examples(*command, {"plan auto_parallel=2:tp=2"});
  command->callback([options, &exit_code] { exit_code = ended("plan", run_plan(*options)); });
}

}  // namespace ordercheck::cli
