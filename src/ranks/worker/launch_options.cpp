#include "ranks/worker/launch_options.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "base/wording.h"
#include "stack/mesh.h"

namespace ordercheck::ranks {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// Why a case is not for a launched world of `size` ranks, or "".
std::string not_for_launch(const Case& c, int size) {
  const int needed = world_size(mesh_of(c.stack));
  if (needed != size)
    return fmt::format("'{}' needs {}, and {} {} launched; launch as many as it needs", print(c), counted(needed, "rank"), size,
                       size == 1 ? "is" : "are");
  if (c.engine != Case{}.engine)
    return fmt::format("'{}' is of the engine {}; launched ranks are of the native engine", print(c), c.engine);
  if (c.settings.arithmetic == Arithmetic::float32)
    return fmt::format(
        "'{}' is run in float32 arithmetic, whose judge needs the tensors of several runs, and launched ranks keep none; "
        "`ordercheck run` runs it on one machine",
        print(c));
  return "";
}

}  // namespace

Result<LaunchOptions> parse_launch_options(int count, const char* const* arguments, std::string& wish) {
  LaunchOptions options;
  bool env = false;
  int seconds = static_cast<int>(options.timeout.count());
  CLI::App app(
      "The native engine's worker. Without an argument it speaks the worker protocol; with --env it is one rank of those that "
      "torchrun, mpirun, mpiexec or srun started.",
      "ordercheck-ranks");
  app.add_flag("--env", env, "Be the rank that the launcher's environment says")->required();
  app.add_option("--case", options.cases, "A file with a case a line, - for stdin; read by rank 0")->required();
  app.add_option("--record", options.record, "The file that rank 0 writes, which `ordercheck matrix merge` reads")->required();
  app.add_option("--timeout", seconds, "Seconds for all ranks to come, and for each run")
      ->check(CLI::Range(1, 86'400))
      ->capture_default_str();
  try {
    app.parse(count, arguments);
  } catch (const CLI::CallForHelp&) {
    wish = app.help();
    return options;
  } catch (const CLI::ParseError& error) {
    return Error{fmt::format("{}; `ordercheck-ranks --help` lists the options", first_line(error.what()))};
  }
  options.timeout = std::chrono::seconds(seconds);
  return options;
}

Result<std::vector<Case>> parse_launched_cases(const std::string& text, const std::string& path, int size) {
  std::vector<Case> cases;
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    const std::string written = std::string(trim(line));
    if (written.empty() || written.starts_with('#')) continue;
    const auto wrong = [&](const std::string& what) { return Error{fmt::format("{}:{}: {}", path, number, what)}; };
    const auto parsed = parse_case(written);
    if (!parsed) return wrong(first_line(parsed.error().message));
    Case c = with_usual_arithmetic(*parsed);
    if (const std::string why = not_for_launch(c, size); !why.empty()) return wrong(why);
    if (!cases.empty() && cases.front().settings.arithmetic != c.settings.arithmetic)
      return wrong(fmt::format("'{}' is run in another arithmetic than the cases before it; launch it by itself", print(c)));
    if (!contains(cases, c)) cases.push_back(std::move(c));
  }
  if (cases.empty()) return Error{fmt::format("{}: expected a case a line, as in 'tp=2,fsdp=2', got none", path)};
  return cases;
}

}  // namespace ordercheck::ranks
