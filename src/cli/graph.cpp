// ordercheck graph STACK: what compile captured when the stack was run, as text or as a picture.
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/shared/engine_choice.h"
#include "cli/shared/engine_session.h"
#include "knowledge/knowledge.h"
#include "plan/plan.h"
#include "report/text/graph_view.h"
#include "stack/notation.h"

namespace ordercheck::cli {
namespace {

struct GraphCommand {
  std::string stack;
  std::string module;
  std::string format = "text";
  std::string out;
  EngineChoice engine;
};

constexpr const char* kGraphs = "graphs";

Result<EngineSpec> engine_with_graphs(const EngineChoice& choice) {
  auto known = known_engines("");
  if (!known) return known.error();
  std::vector<EngineFile> keeping = *known;
  std::erase_if(keeping, [](const EngineFile& engine) { return !contains(engine.keeps, kGraphs); });
  if (const auto engine = engine_named(choice.engine, *known); !choice.engine.empty() && !engine) return engine.error();
  if (!choice.engine.empty() && find_engine(keeping, choice.engine) == nullptr)
    return Error{fmt::format("only the {} engine keeps graphs; TORCH_LOGS=graph_code prints those of torch.compile",
                             join(names_of(keeping), ", "))};
  const auto specs = engines_of(choice, keeping);
  if (!specs) return specs.error();
  return specs->front();
}

Result<Record> run_once(EngineSession& session, const Case& subject) {
  Record record;
  const Run run{.subject = subject, .keep = Keep::graphs};
  const Status ran = session.runner().run({run}, [&](std::size_t, const Record& answer) { record = answer; });
  if (!ran) return ran.error();
  return record;
}

// Graphviz's dot does the drawing.
Status draw(const std::string& dot, const std::string& path) {
  const std::string command = fmt::format("dot -Tsvg -o '{}' 2>/dev/null", path);
  if (path.find('\'') != std::string::npos) return Error{"--out: a path without quotes is expected, got " + path};
  FILE* pipe = popen(command.c_str(), "w");
  if (pipe == nullptr) return Error{"cannot start dot, which draws SVG"};
  std::fwrite(dot.data(), 1, dot.size(), pipe);
  if (pclose(pipe) == 0) return Done{};
  return Error{fmt::format("dot could not write {}; install graphviz, or use --format dot and draw it elsewhere", path)};
}

Result<int> print_graphs(const GraphCommand& command, const std::vector<GraphRecord>& graphs, const std::string& title) {
  std::string text;
  if (command.format == "text") {
    for (const GraphRecord& graph : graphs) text += render_graph_text(graph);
  } else {
    text = render_graphs_dot(graphs, title);
  }
  if (command.format == "svg") {
    const std::string path = command.out.empty() ? "/dev/stdout" : command.out;
    if (const Status drawn = draw(text, path); !drawn) return drawn.error();
    return kNothingAgainst;
  }
  if (command.out.empty()) {
    fmt::print("{}", text);
    return kNothingAgainst;
  }
  std::ofstream file(command.out);
  file << text;
  file.close();
  if (!file) return Error{fmt::format("{}: cannot write it", command.out)};
  return kNothingAgainst;
}

Result<int> run_graph(const GraphCommand& command) {
  const auto stack = parse_stack(command.stack);
  if (!stack) return stack.error();
  const auto spec = engine_with_graphs(command.engine);
  if (!spec) return spec.error();
  auto session = EngineSession::start(*spec, 1, timeout_of(command.engine, *spec));
  if (!session) return session.error();
  const Hello& hello = (*session)->runner().hello();
  Case subject{.stack = *stack, .engine = hello.engine};
  subject.settings.steps = 1;
  if (const std::string reason = why_not(subject, hello); !reason.empty()) return Error{reason};
  const Result<Record> record = run_once(**session, subject);
  if (!record) {
    return undecided("graph", record.error().message);
  }
  for (const std::string& note : record->notes) fmt::print(stderr, "{}\n", note);
  if (record->ending != Ending::completed) {
    fmt::print(stderr, "ordercheck graph: {}: {}\n", name_of(record->ending), record->failure ? record->failure->message : "");
    return record->ending == Ending::unsupported ? kBadInput : kDecidedAgainst;
  }
  std::vector<GraphRecord> graphs;
  for (const GraphRecord& graph : record->graphs) {
    if (command.module.empty() || graph.module == command.module) graphs.push_back(graph);
  }
  if (record->graphs.empty()) return Error{fmt::format("no graph was captured; is there a compile in '{}'?", print(*stack))};
  if (graphs.empty())
    return Error{
        fmt::format("no graph was captured from '{}'; the first is '{}'", command.module, record->graphs.front().module)};
  return print_graphs(command, graphs, print(*stack));
}

}  // namespace

void add_graph(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<GraphCommand>();
  CLI::App* command = app.add_subcommand("graph", "Print or draw what compile captures of a stack on the native engine");
  command->group(kRun);
  command->add_option("stack", options->stack, "The stack, quoted: tp=2,ac,compile,fsdp=2")->required();
  command->add_option("--engine", options->engine.engine, "native (the default); pytorch keeps no graphs");
  command->add_option("--module", options->module, "Only the graph of this module: layers.0");
  command->add_option("--format", options->format, "text, dot or svg")
      ->check(CLI::IsMember({"text", "dot", "svg"}))
      ->capture_default_str();
  command->add_option("--out", options->out, "A file instead of stdout");
  add_timeout_option(command, options->engine);
  show_examples(*command, {"graph tp=2,ac,compile --module layers.0"});
  command->callback([options, &exit_code] { exit_code = ended("graph", run_graph(*options)); });
}

}  // namespace ordercheck::cli
