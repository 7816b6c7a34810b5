#include "cli/shared/driver_answer.h"

#include <fmt/format.h>

#include "matrix/finished_program.h"

namespace ordercheck::cli {

Result<std::string> driver_answer(const EngineSpec& engine, const std::vector<std::string>& words, const std::string& input,
                                  std::chrono::seconds limit) {
  std::vector<std::string> program = engine.command;
  program.insert(program.end(), words.begin(), words.end());
  const auto finished = run_to_end(program, engine.environment, input, limit);
  if (!finished) return Error{fmt::format("{} engine: {}", engine.name, finished.error().message)};
  if (finished->end.signal == 0 && finished->end.exit_code == 0 && !finished->output.empty()) return finished->output;
  if (!finished->last_error.empty()) return Error{finished->last_error};
  return Error{fmt::format("{} engine: {} {} without an answer and without a reason", engine.name, engine.command[0],
                           describe(finished->end))};
}

}  // namespace ordercheck::cli
