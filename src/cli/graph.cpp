// ordercheck graph STACK: runs the stack and prints or draws the graphs that compile captured, or what passes changed.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/shared/drawing.h"
#include "cli/shared/engine_choice.h"
#include "cli/shared/format_option.h"
#include "cli/shared/kept_run.h"
#include "graph/timeline.h"
#include "report/text/graph_change_view.h"
#include "report/text/graph_view.h"

namespace ordercheck::cli {
namespace {

struct GraphCommand {
  std::string stack;
  std::string module;
  std::string before, after;  // names of passes
  std::string format = "text";
  std::string out;
  EngineChoice engine;
};

bool names_passes(const GraphCommand& command) { return !command.before.empty() || !command.after.empty(); }

// The output: graphs, or the changes between two passes.
struct Shown {
  std::vector<GraphRecord> graphs;
  std::vector<GraphChange> changes;  // used instead of graphs if two passes are named
};

std::string render(const Shown& shown, const std::string& format, const GraphsOf& of) {
  if (format == "json")
    return shown.changes.empty() ? render_graphs_json(shown.graphs, of) : render_changes_json(shown.changes, of);
  if (format != "text")
    return shown.changes.empty() ? render_graphs_dot(shown.graphs, of.stack) : render_changes_dot(shown.changes, of.stack);
  std::string text;
  for (const GraphRecord& graph : shown.graphs) text += render_graph_text(graph) + render_cost(graph);
  for (const GraphChange& change : shown.changes) text += render_change_text(change) + render_costs(change);
  return text;
}

Result<int> print_shown(const GraphCommand& command, const Shown& shown, const GraphsOf& of) {
  if (const Status written = write_picture(render(shown, command.format, of), command.format, command.out); !written)
    return written.error();
  return kNothingAgainst;
}

// Adds the graph or change of one capture, given the stages after each pass.
Status add_shown(const GraphCommand& command, const captured::Stages& stages, Shown& shown) {
  const std::vector<std::string>& ran = stages.back().passes;
  std::size_t before = 0, behind = stages.size() - 1;
  if (!command.before.empty()) {
    const auto place = captured::place_of_pass(ran, command.before);
    if (!place) return Error{"--before: " + place.error().message};
    before = *place;
  }
  if (!command.after.empty()) {
    const auto place = captured::place_of_pass(ran, command.after);
    if (!place) return Error{"--after: " + place.error().message};
    behind = *place + 1;
  }
  if (command.before.empty() || command.after.empty()) {
    shown.graphs.push_back(stages[command.before.empty() ? behind : before]);
    return Done{};
  }
  if (behind <= before)
    return Error{fmt::format("--after {} ran earlier than --before {}; name a later pass with --after, of: {}", command.after,
                             command.before, join(ran, ", "))};
  shown.changes.push_back({.before = stages[before], .after = stages[behind]});
  return Done{};
}

// Covers all captures of the requested module. A pass need not have run on each of them.
Result<Shown> what_to_show(const GraphCommand& command, const Record& record) {
  if (record.graphs.empty()) return Error{fmt::format("no graph was captured; is there a compile in '{}'?", command.stack)};
  std::vector<captured::Stages> captures;
  if (names_passes(command))
    captures = captured::captures_of(record.graphs);
  else
    for (const GraphRecord& graph : record.graphs) captures.push_back({graph});
  Shown shown;
  Status first_reason = Done{};
  bool any = false;
  for (const captured::Stages& stages : captures) {
    if (!command.module.empty() && stages.back().module != command.module) continue;
    const Status added = add_shown(command, stages, shown);
    if (!added && !any) first_reason = added;
    any = true;
  }
  if (!any)
    return Error{
        fmt::format("no graph was captured from '{}'; the first is '{}'", command.module, record.graphs.front().module)};
  if (shown.graphs.empty() && shown.changes.empty()) return first_reason.error();
  return shown;
}

Result<int> run_graph(const GraphCommand& command) {
  const auto run = run_and_keep("graph", command.stack, command.engine, names_passes(command) ? Keep::passes : Keep::graphs);
  if (!run) return run.error();
  if (run->exit_code != kNothingAgainst) return run->exit_code;
  const Result<Shown> shown = what_to_show(command, run->record);
  if (!shown) return shown.error();
  return print_shown(command, *shown, {.stack = run->stack, .engine = run->record.engine, .versions = run->record.versions});
}

}  // namespace

void add_graph(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<GraphCommand>();
  CLI::App* command = app.add_subcommand("graph", "Print or draw the graphs that compile captures on the native engine");
  command->group(kRun);
  command->add_option("stack", options->stack, "The stack, quoted: tp=2,ac,compile,fsdp=2")->required();
  command->add_option("--engine", options->engine.engine, "native (default); the pytorch engine keeps no graphs");
  command->add_option("--module", options->module, "Only the graph of this module: layers.0");
  command->add_option("--before", options->before, "The graph before this pass; with --after: the changes between the two");
  command->add_option("--after", options->after, "The graph after this pass: partition; dead_code:2 is its second run");
  command->add_option("--format", options->format, "text, dot, svg or json")
      ->check(CLI::IsMember({"text", "dot", "svg", "json"}))
      ->capture_default_str();
  add_json_flag(*command, options->format);
  command->add_option("--out", options->out, "Write to this file instead of stdout");
  add_timeout_option(command, options->engine);
  show_examples(*command, {"graph tp=2,ac,compile --module layers.0",
                           "graph simple_fsdp=2:bucket=transformer_block,compile@model --before bucket --after bucket"});
  command->callback([options, &exit_code] { exit_code = ended("graph", run_graph(*options)); });
}

}  // namespace ordercheck::cli
