#include "cli/run/one_run.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/run/clipping.h"
#include "cli/shared/engine_session.h"
#include "cli/shared/fault.h"
#include "cli/shared/file_run.h"
#include "stack/notation.h"

namespace ordercheck::cli {
namespace {

Status check_fault(const std::optional<Fault>& fault, const Hello& hello) {
  if (!fault || contains(hello.faults, fault->kind)) return Done{};
  return Error{fmt::format("the {} engine knows no fault '{}'; it knows {}", hello.engine, fault->kind,
                           hello.faults.empty() ? "none" : join(hello.faults, ", "))};
}

// All but a slow rank keep a case from completing.
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

}  // namespace ordercheck::cli
