// ordercheck repro CASE: prints a script that demonstrates a case on stock PyTorch, without ordercheck.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/shared/engine_choice.h"
#include "cli/shared/own_code.h"
#include "cli/shared/repro_script.h"
#include "matrix/knowledge.h"

namespace ordercheck::cli {
namespace {

struct ReproCommand {
  std::vector<std::string> words;
  std::string python;
  std::string out;
  OwnCode own;
};

Result<Case> case_of(const ReproCommand& command) {
  auto written = parse_case(join(command.words, " "));
  if (!written) return written;
  Case c = *std::move(written);
  put_into(command.own, c);
  return with_usual_arithmetic(std::move(c));
}

// The engine whose driver writes the script: that of the case if it runs in a Python interpreter, else pytorch.
Result<EngineFile> engine_for(const std::string& name, const std::vector<EngineFile>& known) {
  const EngineFile* named = find_engine(known, name);
  if (named != nullptr && !named->interpreter.empty()) return *named;
  return engine_in_interpreter(known);
}

Result<int> run_repro(const ReproCommand& command) {
  if (const auto written = check_own_code(command.own); !written) return written.error();
  const auto known = known_engines("");
  if (!known) return known.error();
  auto c = case_of(command);
  if (!c) return c.error();
  const auto file = engine_for(c->engine, *known);
  if (!file) return file.error();
  c->engine = file->name;
  const auto engine = engine_spec(*file, command.python);
  if (!engine) return engine.error();
  const auto script = repro_script(*c, *engine);
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
  CLI::App* command = app.add_subcommand("repro", "Print a stand-alone PyTorch script that reproduces a case");
  command->group(kRun);
  command->add_option("case", options->words, "The stack, quoted, then settings: tp=2,fsdp=2 steps=1 seed=2")->required();
  command->add_option("--python", options->python,
                      "A Python with torch >= 2.6 that writes the script; default: ORDERCHECK_PYTHON");
  add_own_code_options(command, options->own);
  command->add_option("-o,--out", options->out, "Write to this file instead of stdout");
  show_examples(*command, {"repro ac,tp=2 --python python3 -o repro.py"});
  command->callback([options, &exit_code] { exit_code = ended("repro", run_repro(*options)); });
}

}  // namespace ordercheck::cli
