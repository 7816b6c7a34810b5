// ordercheck run: one stack on one engine.
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
#include "importer/imported.h"
#include "plan/result.h"
#include "rule/rule.h"
#include "trial/run_plan.h"

namespace ordercheck::cli {

// As it was asked for.
struct RunCommand {
  std::vector<std::string> words;
  std::string as;                    // the format of the file that states the stack
  std::string file;                  // that states the stack; "" if the words do
  std::optional<Imported> imported;  // what the file states
  OwnCode own;
  EngineChoice engine;
  // What no option names is as the words say.
  std::optional<int> accumulation, steps;
  std::optional<std::uint64_t> seed;
  std::string arithmetic;
  std::string fault;
  bool quick = false;
  std::vector<std::string> names;  // of stacks of the project's file
  std::string today;
  std::string format = "text";
  std::string rules;
};

// What options say replaces what the case says; the number of steps is left alone.
void put_settings_into(const RunCommand& command, Case& c);

// One interpreter's answer: an outcome, or the exit code of what went wrong while it ran, which has been told then.
struct Ran {
  std::optional<CaseResult> result;
  Hello hello;
  int exit_code = kNothingAgainst;
  std::string remark = "";  // for stderr, once the outcome is told
};

Result<Ran> run_on(const EngineSpec& spec, const RunCommand& command, Case subject, const std::vector<Rule>& rules,
                   const RunOptions& options);

// Options of the run, with the fault that the command asks for.
Result<RunOptions> run_options(const RunCommand& command);

// Beside the verdict of a stack that does not clip: what torch.nn.utils.clip_grad_norm_ does under it.

// The verdict of the stack with clipping in words: "clip_grad_norm_ works", "clip_grad_norm_ raises \"...\"; ...". `cure`: the optimizer
// that clips otherwise, where the engine builds one; "" for none.
std::string clipping_in_words(const CaseResult& clipped, const std::string& cure);

// Runs one step of the stack with clipping. "" where that says nothing: the stack clips, is not right without, or runs no collective.
// An error means that the engine could not go on.
Result<std::string> clipping_beside(const CaseResult& result, EngineSession& session, const std::vector<Rule>& rules);

}  // namespace ordercheck::cli
