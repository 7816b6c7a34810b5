// ordercheck run STACK: runs a stack and shows the result.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/run/one_run.h"
#include "cli/run/project_run.h"
#include "cli/shared/engine_choice.h"
#include "cli/shared/engine_session.h"
#include "cli/shared/format_option.h"
#include "cli/shared/import_view.h"
#include "cli/shared/kept_run.h"
#include "cli/shared/numbers.h"
#include "cli/shared/own_code.h"
#include "cli/shared/question.h"
#include "matrix/knowledge.h"
#include "report/text/builds_beside.h"
#include "report/text/summary.h"
#include "rules/job.h"
#include "stack/notation.h"

namespace ordercheck::cli {
namespace {

// Whether the words contain the setting.
bool writes(const RunCommand& command, const char* setting) {
  return join(command.words, " ").find(fmt::format(" {}=", setting)) != std::string::npos;
}

Result<Case> case_of(const RunCommand& command) {
  auto written = parse_case(join(command.words, " "));
  if (!written) return written;
  Case c = with_usual_arithmetic(*std::move(written));
  const int steps_written = c.settings.steps;
  put_into(command.own, c);
  put_settings_into(command, c);
  const bool runs_own_code = !c.apply.empty() || !command.own.model.empty();
  if (!runs_own_code && !writes(command, "model")) c.model = model_of(c.stack, c.model);
  c.settings.steps = command.steps.value_or(writes(command, "steps") ? steps_written : usual_steps(c));
  return c;
}

// The engine: that of --engine, else the one in the case's text.
EngineChoice choice_of(const RunCommand& command, const Case& c) {
  EngineChoice choice = command.engine;
  if (choice.engine.empty() && writes(command, "engine")) choice.engine = c.engine;
  return choice;
}

std::string render_ran_text(const Ran& ran, const RunCommand& command, const Knowledge& knowledge) {
  const std::string who =
      command.imported ? render_who_ran(command.file, *command.imported, ran.hello, knowledge.engines) : std::string();
  return who + render_case_text(*ran.result, ran.hello);
}

Result<int> run_on_one(const EngineSpec& spec, const RunCommand& command, const Case& subject, const Knowledge& knowledge,
                       const RunOptions& options) {
  const auto ran = run_on(spec, command, subject, knowledge.rules, options);
  if (!ran) return ran.error();
  if (ran->result)
    fmt::print("{}", command.format == "json" ? render_case_json(*ran->result, ran->hello)
                                              : render_ran_text(*ran, command, knowledge));
  fmt::print(stderr, "{}", ran->remark);
  return ran->exit_code;
}

// Runs one interpreter after another, prints each result, then compares all.
Result<int> run_on_several(const std::vector<EngineSpec>& specs, const RunCommand& command, const Case& subject,
                           const Knowledge& knowledge, const RunOptions& options) {
  std::vector<CaseResult> results;
  std::vector<std::string> objects;
  std::vector<int> codes;
  const std::vector<std::string> names = names_of_builds(specs);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const auto ran = run_on(specs[i], command, subject, knowledge.rules, options);
    if (!ran) return ran.error();
    codes.push_back(ran->exit_code);
    if (!ran->result) return worst_of(codes);
    results.push_back(*ran->result);
    if (command.format == "json")
      objects.push_back(std::string(trim(render_case_json(*ran->result, ran->hello))));
    else
      fmt::print("{} in {}, {}\n{}\n", specs[i].name, specs[i].command[0], specs[i].build,
                 render_ran_text(*ran, command, knowledge));
    fmt::print(stderr, "{}", ran->remark);
  }
  if (command.format == "json")
    fmt::print("[{}]\n", join(objects, ",\n"));
  else
    fmt::print("{}", render_builds(names, results));
  return worst_of(codes);
}

// Replaces a file name by the stack in that file, and prints what was not understood.
Status take_file(RunCommand& command) {
  std::string& word = command.words.back();
  if (command.words.size() > 2 || parse_case(word)) return Done{};
  const auto written = stack_written(word, command.as);
  if (!written || !written->imported) return written || !names_file(word) ? Status(Done{}) : Status(written.error());
  fmt::print(stderr, "{}: {}\n{}", word, print(written->stack), render_import_below(*written->imported));
  command.file = word;
  command.imported = written->imported;
  word = print(written->stack);
  return Done{};
}

Result<int> run_run(RunCommand command) {
  if (const auto written = check_own_code(command.own); !written) return written.error();
  if (command.words.empty()) return run_project(command);
  if (const Status read = take_file(command); !read) return read.error();
  auto subject = case_of(command);
  if (!subject) return subject.error();
  const auto options = run_options(command);
  if (!options) return options.error();
  const auto knowledge = load_knowledge(command.rules);
  if (!knowledge) return knowledge.error();
  const auto specs = engines_of(choice_of(command, *subject), knowledge->engines, command.own.option_given());
  if (!specs) return specs.error();
  if (specs->size() == 1) return run_on_one(specs->front(), command, *subject, *knowledge, *options);
  return run_on_several(*specs, command, *subject, *knowledge, *options);
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<RunCommand>();
  CLI::App* command = app.add_subcommand("run", "Run a stack on real ranks and compare it bit for bit with a single-rank run");
  command->group(kRun);
  command->add_option("stack", options->words,
                      "The stack, quoted: tp=2,ac,fsdp=2. Or a case as tables print it: fsdp=2 steps=10; or a file that "
                      "`import` reads. Without one those of "
                      ".ordercheck.toml, "
                      "here or above");
  add_as_option(*command, options->as);
  add_engine_options(command, options->engine);
  add_world_options(command, options->engine);
  add_timeout_option(command, options->engine);
  add_own_code_options(command, options->own);
  const Settings usual;
  command
      ->add_option("--accumulation", options->accumulation,
                   fmt::format("Microbatches per step; default {}, or {} with an optimizer in backward", usual.accumulation,
                               usual_accumulation(parse_stack("optimizer=sgd:in_backward=on").value())))
      ->check(whole_number_from(1));
  command
      ->add_option("--steps", options->steps,
                   fmt::format("Number of steps; default {}, or {} with --apply", usual.steps, usual_steps({.apply = "a:b"})))
      ->check(whole_number_from(1));
  command->add_option("--seed", options->seed, fmt::format("Seed of weights and data; default {}", usual.seed));
  command
      ->add_option("--arithmetic", options->arithmetic,
                   "exact, plain or float32; default: exact, or float32 if the stack casts")
      ->check(CLI::IsMember({"exact", "plain", "float32"}));
  command->add_flag("--quick", options->quick,
                    "Only the verdict: skip reruns with other seeds and grids, the location of a difference, and ablation");
  command->add_option(
      "--fault", options->fault,
      "Inject an error, kind:rank:module[:phase|:sequence], to test that it is detected; phase (default: forward) of "
      "crash, hang, throw, slow and exit; number of the collective (default: 0) of skip_collective and wrong_shape");
  command->add_option("--stack", options->names, "Run only this stack of .ordercheck.toml, by name; repeatable")
      ->allow_extra_args(false)
      ->excludes("stack");
  command->add_option("--today", options->today, "Today's date, YYYY-MM-DD, for expiry of entries in .ordercheck.toml");
  add_format_option(*command, options->format);
  command->add_option("--rules", options->rules, "The folder of rules");
  show_examples(*command, {"run tp=2,ac,fsdp=2", "run tp=2,ac,fsdp=2 --engine pytorch --python python3",
                           "run 'ac,tp=2 engine=pytorch steps=1' --python python3",
                           "run tp=2,ac,fsdp=2 --engine torchtitan --model llama3 --python python3"});
  command->callback([options, &exit_code] { exit_code = ended("run", run_run(*options)); });
}

}  // namespace ordercheck::cli
