#include "cli/shared/file_run.h"

#include <fmt/format.h>

#include "base/displayable.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/shared/engine_session.h"

namespace ordercheck::cli {

std::string render_who_ran(const std::string& file, const Imported& imported, const Hello& hello,
                           const std::vector<EngineFile>& engines) {
  const EngineFile* engine = find_engine(engines, hello.engine);
  const std::string ran =
      fmt::format("{}: run by the {} engine ({})", one_line(displayable(file)), hello.engine, join(hello.versions, ", "));
  if (engine != nullptr && engine->project == imported.format)
    return fmt::format("{}, by {}'s own code\n", ran, imported.format);
  const bool is_reference = engine != nullptr && engine->by_definition;
  return fmt::format("{}, {}not by {}'s own code\n", ran, is_reference ? "ordercheck's reference implementation, " : "",
                     imported.format);
}

void leave_open(Outcome& outcome, const Imported& imported) {
  if (imported.not_understood.empty() || outcome.agreement == Agreement::undecided) return;
  std::vector<std::string> left_out;
  for (const NotUnderstood& one : imported.not_understood) left_out.push_back(one_line(displayable(one.text)));
  outcome.agreement = Agreement::open;
  outcome.open_because = fmt::format("the file also states {}, which was left out", join(left_out, "; "));
  outcome.disagreement.clear();
  outcome.explanation.clear();
}

int exit_code_of(const Outcome& outcome, const Imported& imported) {
  const int code = exit_code_of(outcome);
  return code == kNothingAgainst && !imported.not_understood.empty() ? kUndecided : code;
}

}  // namespace ordercheck::cli
