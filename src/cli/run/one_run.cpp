#include "cli/run/one_run.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/shared/engine_choice.h"
#include "cli/shared/engine_session.h"
#include "cli/shared/kept_run.h"
#include "stack/mesh.h"
#include "stack/notation.h"
#include "stack/trainer.h"
#include "stack/transforms.h"

namespace ordercheck::cli {
namespace {

Status check_fault(const std::optional<Fault>& fault, const Hello& hello) {
  if (!fault || contains(hello.faults, fault->kind)) return Done{};
  return Error{fmt::format("the {} engine knows no fault '{}'; it knows {}", hello.engine, fault->kind,
                           hello.faults.empty() ? "none" : join(hello.faults, ", "))};
}

// Any fault except a slow rank prevents a case from completing.
bool never_fired(const std::optional<Fault>& fault, const Record& record) {
  return fault && fault->kind != "slow" && record.ending == Ending::completed;
}

}  // namespace

void put_settings_into(const RunCommand& command, Case& c) {
  c.settings.accumulation = command.accumulation.value_or(c.settings.accumulation);
  c.settings.seed = command.seed.value_or(c.settings.seed);
  for (Arithmetic arithmetic : {Arithmetic::exact, Arithmetic::plain, Arithmetic::float32})
    if (command.arithmetic == name_of(arithmetic)) c.settings.arithmetic = arithmetic;
}

Result<RunOptions> run_options(const RunCommand& command) {
  RunOptions options{.quick = command.quick};
  if (command.fault.empty()) return options;
  const auto fault = parse_fault(command.fault);
  if (!fault) return fault.error();
  options.fault = *fault;
  return options;
}

Result<Ran> run_on(const EngineSpec& spec, const RunCommand& command, Case subject, const std::vector<Rule>& rules,
                   const RunOptions& options) {
  auto session = EngineSession::start(spec, 0, timeout_of(command.engine, spec));
  if (!session) return session.error();
  const Hello hello = (*session)->runner().hello();
  subject.engine = hello.engine;
  if (const auto known = check_fault(options.fault, hello); !known) return known.error();
  if (const std::string reason = why_not(subject, hello); !reason.empty()) return Error{reason};

  const Plan plan{.engine = hello.engine, .cases = {{.subject = subject, .sources = {}}}, .not_planned = {}};
  const auto result = (*session)->run(plan, rules, options);
  if (!result) return Ran{.result = {}, .hello = hello, .exit_code = undecided("run", result.error().message)};
  if (result->cases.empty()) return Error{result->plan.not_planned.front().reason};
  CaseResult one = result->cases.front();
  if (command.imported) leave_open(one.outcome, *command.imported);
  if (!options.quick && !options.fault) {
    auto clipping = clipping_beside(one, **session, rules);
    if (!clipping) return Ran{.result = {}, .hello = hello, .exit_code = undecided("run", clipping.error().message)};
    one.clipping = *std::move(clipping);
  }
  if (!never_fired(options.fault, one.record))
    return Ran{.result = one,
               .hello = hello,
               .exit_code = command.imported ? exit_code_of(one.outcome, *command.imported) : exit_code_of(one.outcome)};
  return Ran{.result = one,
             .hello = hello,
             .exit_code = kUndecided,
             .remark = fmt::format("ordercheck run: the fault '{}' never fired: rank {} did not come by that place\n",
                                   command.fault, options.fault->rank)};
}

namespace {

constexpr const char* kClip = "clip_grad_norm_";
constexpr const char* kPerMesh = "per_mesh";

bool is_right(Verdict verdict) { return verdict == Verdict::equal || verdict == Verdict::close || verdict == Verdict::ignored; }

// A user's optimizer or step clips by itself or not at all.
bool says_something(const Case& c, Verdict verdict) {
  if (!c.optimizer.empty() || !c.step.empty()) return false;
  return is_right(verdict) && !clips(c.stack) && !steps_in_backward(c.stack) && world_size(mesh_of(c.stack)) > 1;
}

std::string note_of_threshold(const Record& record) {
  const auto found =
      std::ranges::find_if(record.notes, [](const std::string& note) { return note.starts_with("clip: no gradient"); });
  return found == record.notes.end() ? "" : *found;
}

}  // namespace

std::string clipping_in_words(const CaseResult& clipped, const std::string& cure) {
  const Observation& seen = clipped.outcome.seen;
  const std::string instead = cure.empty() ? "" : "; a norm of each mesh and of all stages: " + cure;
  const std::string rule = clipped.outcome.prediction.rule;
  const std::string page = rule.empty() ? "" : fmt::format(" ({})", rule);
  if (is_right(seen.verdict)) {
    const std::string untested = note_of_threshold(clipped.record);
    return untested.empty() ? fmt::format("{} works", kClip) : fmt::format("{} is not judged: {}", kClip, untested);
  }
  if (seen.verdict == Verdict::differs)
    return fmt::format("{} clips by another norm than one rank does{}{}", kClip, page, instead);
  if (seen.verdict == Verdict::fails)
    return fmt::format("{} raises \"{}\"{}{}", kClip, split(seen.message, '\n').front(), page, instead);
  return fmt::format("{} is not judged: {}", kClip, name_of(seen.verdict));
}

Result<std::string> clipping_beside(const CaseResult& result, EngineSession& session, const std::vector<Rule>& rules) {
  Case subject = result.outcome.subject;
  if (!says_something(subject, result.outcome.seen.verdict)) return std::string();
  const Hello& hello = session.runner().hello();
  const Stack per_mesh = with_clipping(subject.stack, kPerMesh);
  const std::string cure = unbuilt_parts(per_mesh, hello.transforms).empty() ? print(per_mesh.items.back()) : "";
  subject.stack = with_clipping(subject.stack, kReachedThreshold);
  subject.settings.steps = 1;
  const Plan plan{.engine = hello.engine, .cases = {{.subject = subject, .sources = {}}}, .not_planned = {}};
  const auto clipped = session.run(plan, rules, {.quick = true});
  if (!clipped) return clipped.error();
  if (clipped->cases.empty()) return fmt::format("{} is not judged: {}", kClip, clipped->plan.not_planned.front().reason);
  return clipping_in_words(clipped->cases.front(), cure);
}

}  // namespace ordercheck::cli
