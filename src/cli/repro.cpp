// ordercheck repro CASE: a script that shows a case on stock PyTorch, without ordercheck.
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/shared/engine_choice.h"
#include "cli/shared/knowledge.h"
#include "cli/shared/own_code.h"
#include "engine/finished_program.h"
#include "protocol/case_codec.h"
#include "protocol/json_text.h"

namespace ordercheck::cli {
namespace {

// Importing torch alone takes up to a minute on a machine that is all busy.
constexpr std::chrono::seconds kLimit{120};

struct ReproCommand {
  std::vector<std::string> words;
  std::string python;
  std::string out;
  OwnCode own;
};

Result<Case> case_of(const ReproCommand& command, const std::string& engine) {
  auto written = parse_case(join(command.words, " "));
  if (!written) return written;
  Case c = *std::move(written);
  put_into(command.own, c);
  c.engine = engine;
  if (c.settings.arithmetic == Arithmetic::exact) c.settings.arithmetic = usual_settings(c.stack).arithmetic;
  return c;
}

// The driver writes it: it knows how it builds the case. All of it, or an error.
Result<std::string> script_of(const Case& c, const EngineSpec& engine) {
  std::vector<std::string> program = engine.command;
  program.push_back("repro");
  const auto finished = run_to_end(program, engine.environment, to_text(json_of(c)) + "\n", kLimit);
  if (!finished) return Error{fmt::format("{} engine: {}", engine.name, finished.error().message)};
  if (finished->end.signal == 0 && finished->end.exit_code == 0 && !finished->output.empty()) return finished->output;
  if (!finished->last_error.empty()) return Error{finished->last_error};
  return Error{fmt::format("{} engine: {} {} without a script and without a reason", engine.name, engine.command[0],
                           describe(finished->end))};
}

Result<int> run_repro(const ReproCommand& command) {
  if (const auto written = check_own_code(command.own); !written) return written.error();
  const auto known = known_engines("");
  if (!known) return known.error();
  const auto file = engine_in_interpreter(*known);
  if (!file) return file.error();
  const auto c = case_of(command, file->name);
  if (!c) return c.error();
  const auto engine = engine_spec(*file, command.python);
  if (!engine) return engine.error();
  const auto script = script_of(*c, *engine);
  if (!script) return script.error();
  if (command.out.empty()) {
    fmt::print("{}", *script);
    return kNothingAgainst;
  }
  if (const auto written = replace_file(command.out, *script); !written) return written.error();
  return kNothingAgainst;
}

}  // namespace

void add_repro(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ReproCommand>();
  CLI::App* command = app.add_subcommand("repro", "Print a script that shows a case on PyTorch alone");
  command->group(kRun);
  command->add_option("case", options->words, "The stack, quoted, and settings behind it: tp=2,fsdp=2 steps=1 seed=2")
      ->required();
  command->add_option("--python", options->python, "A Python with torch >= 2.6 that writes it; else ORDERCHECK_PYTHON");
  add_own_code_options(command, options->own);
  command->add_option("-o,--out", options->out, "A file instead of stdout");
  show_examples(*command, {"repro ac,tp=2 --python python3 -o repro.py"});
  command->callback([options, &exit_code] { exit_code = ended("repro", run_repro(*options)); });
}

}  // namespace ordercheck::cli
