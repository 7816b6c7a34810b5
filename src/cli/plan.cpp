// ordercheck plan STACK: prints the placements that auto_parallel chooses: those of a run of the built-in model, or those of a
// model in the user's sizes, which is traced and needs no ranks. For simple_fsdp: what its modes cost.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/shared/drawing.h"
#include "cli/shared/engine_choice.h"
#include "cli/shared/format_option.h"
#include "cli/shared/kept_run.h"
#include "cli/shared/question.h"
#include "cli/shared/traced_plan.h"
#include "report/text/plan_summary.h"
#include "report/text/plan_view.h"
#include "stack/notation.h"

namespace ordercheck::cli {
namespace {

struct PlanCommand {
  std::string stack;
  PlanOfModel of_model;
  std::string format = "text";
  std::string out;
  bool verbose = false;
  EngineChoice engine;
};

std::string rendered(const PlanCommand& command, const PlanRecord& plan, const std::string& stack) {
  if (command.format == "json") return render_plan_json(plan, stack);
  if (command.format != "text") return render_plan_dot(plan, stack);
  return render_plan_summary(plan, stack) + (command.verbose ? render_plan_nodes(plan) : "");
}

Result<int> print_plan(const PlanCommand& command, const PlanRecord& plan, const std::string& stack) {
  if (const Status written = write_picture(rendered(command, plan, stack), command.format, command.out); !written)
    return written.error();
  return kNothingAgainst;
}

Result<int> print_modes(const PlanCommand& command, const Stack& stack) {
  if (command.format != "text")
    return Error{fmt::format("the modes of '{1}' are a table of text, not {0}; leave that out", command.format, print(stack))};
  const auto table = modes_of_model(stack, command.of_model);
  if (!table) return table.error();
  if (const Status written = write_picture(*table, command.format, command.out); !written) return written.error();
  return kNothingAgainst;
}

Result<int> run_plan(const PlanCommand& command) {
  const auto stack = parse_stack(command.stack);
  if (!stack) return stack.error();
  const bool is_traced = has_modes(*stack) || asks_for_a_model(command.of_model);
  if (is_traced && (!command.engine.engine.empty() || command.engine.timeout))
    return Error{fmt::format("{}: a model of your sizes is traced and not run; leave it out",
                             command.engine.timeout ? "--timeout" : "--engine " + one_line(command.engine.engine))};
  if (has_modes(*stack)) return print_modes(command, *stack);
  if (is_traced) {
    const auto plan = plan_of_model(*stack, command.of_model);
    if (!plan) return plan.error();
    return print_plan(command, *plan, print(*stack));
  }
  const auto run = run_and_keep("plan", command.stack, command.engine, Keep::graphs);
  if (!run) return run.error();
  if (run->exit_code != kNothingAgainst) return run->exit_code;
  if (run->record.plans.empty())
    return Error{fmt::format("nothing was placed by plan; is there an auto_parallel in '{}'?", run->stack)};
  return print_plan(command, run->record.plans.front(), run->stack);
}

}  // namespace

void add_plan(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<PlanCommand>();
  CLI::App* command =
      app.add_subcommand("plan", "Print the placements that auto_parallel chooses, or the modes of simple_fsdp, with costs");
  command->group(kRun);
  command->add_option("stack", options->stack, "The stack, quoted: auto_parallel=8:tp=8")->required();
  add_plan_of_model_options(*command, options->of_model);
  command->add_option("--engine", options->engine.engine, "native (default), which runs the small built-in model");
  command->add_flag("--verbose", options->verbose, "Print also the placements and the cost of every operator");
  command->add_option("--format", options->format, "text, json, dot or svg")
      ->check(CLI::IsMember({"text", "json", "dot", "svg"}))
      ->capture_default_str();
  add_json_flag(*command, options->format);
  command->add_option("--out", options->out, "Write to this file instead of stdout");
  add_timeout_option(command, options->engine);
  show_examples(*command, {"plan auto_parallel=2:tp=2",
                           "plan auto_parallel=8:tp=8 --config config.json --set sequences=32,sequence_length=8192",
                           "plan auto_parallel=64 --model mine:net --machine machine.toml --memory 0:0.25"});
  command->callback([options, &exit_code] { exit_code = ended("plan", run_plan(*options)); });
}

}  // namespace ordercheck::cli
