// ordercheck run: runs one stack on one engine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "cli/shared/engine_choice.h"
#include "cli/shared/engine_session.h"
#include "cli/shared/own_code.h"
#include "import/imported.h"
#include "matrix/plan_result.h"
#include "matrix/run_plan.h"
#include "rules/rule.h"

namespace ordercheck::cli {

// The options of `ordercheck run`.
struct RunCommand {
  std::vector<std::string> words;
  std::string as;                    // the format of the file with the stack
  std::string file;                  // the file with the stack; "" if the words contain it
  std::optional<Imported> imported;  // contents of the file
  OwnCode own;
  EngineChoice engine;
  // An unset option keeps the setting in the words.
  std::optional<int> accumulation, steps;
  std::optional<std::uint64_t> seed;
  std::string arithmetic;
  std::string fault;
  bool quick = false;
  std::vector<std::string> names;  // of stacks in the project file
  std::string today;
  std::string format = "text";
  std::string rules;
};

// Overrides the case's settings by options, except for the number of steps.
void put_settings_into(const RunCommand& command, Case& c);

// The result of a case on one build, or the exit code of a failure that was already printed.
struct Ran {
  std::optional<CaseResult> result;
  Hello hello;
  int exit_code = kNothingAgainst;
  std::string remark = "";  // for stderr, after the result
};

Result<Ran> run_on(const EngineSpec& spec, const RunCommand& command, Case subject, const std::vector<Rule>& rules,
                   const RunOptions& options);

// The RunOptions for this command, with the fault of --fault.
Result<RunOptions> run_options(const RunCommand& command);

// If the stack does not clip gradients, `run` also tests whether torch.nn.utils.clip_grad_norm_ works with it.

// Describes the verdict on the stack with clipping added: "clip_grad_norm_ works", "clip_grad_norm_ raises \"...\"; ...".
// `cure` is an optimizer that clips correctly, if the engine builds one; else "".
std::string clipping_in_words(const CaseResult& clipped, const std::string& cure);

// Runs one step of the stack with clipping added and returns clipping_in_words(). Returns "" without a run if the stack clips
// already, steps in backward, is wrong without clipping, or has one rank. An error if the engine could not continue.
Result<std::string> clipping_beside(const CaseResult& result, EngineSession& session, const std::vector<Rule>& rules);

}  // namespace ordercheck::cli
