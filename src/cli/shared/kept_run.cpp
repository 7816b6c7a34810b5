#include "cli/shared/kept_run.h"

#include <fmt/format.h>

#include "base/displayable.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/shared/engine_session.h"
#include "matrix/knowledge.h"
#include "matrix/plan.h"
#include "stack/notation.h"

namespace ordercheck::cli {
namespace {

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

Result<Record> run_once(EngineSession& session, const Case& subject, Keep keep) {
  Record record;
  const Run run{.subject = subject, .keep = keep};
  const Status ran = session.runner().run({run}, [&](std::size_t, const Record& answer) { record = answer; });
  if (!ran) return ran.error();
  return record;
}

}  // namespace

Result<KeptRun> run_and_keep(const std::string& subcommand, const std::string& text, const EngineChoice& choice, Keep keep) {
  const auto stack = parse_stack(text);
  if (!stack) return stack.error();
  const auto spec = engine_with_graphs(choice);
  if (!spec) return spec.error();
  auto session = EngineSession::start(*spec, 1, timeout_of(choice, *spec));
  if (!session) return session.error();
  const Hello& hello = (*session)->runner().hello();
  Case subject{.stack = *stack, .engine = hello.engine};
  subject.settings.steps = 1;
  if (const std::string reason = why_not(subject, hello); !reason.empty()) return Error{reason};
  KeptRun kept{.stack = print(*stack), .record = {}};
  const Result<Record> record = run_once(**session, subject, keep);
  if (!record) {
    fmt::print(stderr, "ordercheck {}: {}\n", subcommand, record.error().message);
    kept.exit_code = kUndecided;
    return kept;
  }
  kept.record = *record;
  for (const std::string& note : record->notes) fmt::print(stderr, "{}\n", note);
  if (record->ending != Ending::completed) {
    fmt::print(stderr, "ordercheck {}: {}: {}\n", subcommand, name_of(record->ending),
               record->failure ? record->failure->message : "");
    kept.exit_code = record->ending == Ending::unsupported ? kBadInput : kDecidedAgainst;
  }
  return kept;
}

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
