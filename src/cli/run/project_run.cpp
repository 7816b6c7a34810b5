#include "cli/run/project_run.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/wording.h"
#include "cli/project/found_project.h"
#include "cli/settings/project_notes.h"
#include "matrix/knowledge.h"
#include "report/text/summary.h"
#include "stack/own_functions.h"

namespace ordercheck::cli {
namespace {

namespace fs = std::filesystem;

Result<std::vector<ProjectStack>> chosen(const Project& project, const std::vector<std::string>& names) {
  if (names.empty()) return project.stacks;
  std::vector<std::string> known;
  for (const ProjectStack& one : project.stacks) known.push_back(one.name);
  for (const std::string& name : names)
    if (!contains(known, name))
      return Error{
          fmt::format("--stack {}: {} has no stack of that name; {}", one_line(name), project.path, did_you_mean(name, known))};
  std::vector<ProjectStack> some;
  for (const ProjectStack& one : project.stacks)
    if (contains(names, one.name)) some.push_back(one);
  return some;
}

// The first key that names Python code; "" if there is none.
std::string key_of_code(const ProjectRun& run) {
  if (!run.model.empty()) return "model";
  for (const auto& function : kOwnFunctions<ProjectRun>)
    if (!(run.*function.member).empty()) return function.key;
  return "";
}

Result<EngineSpec> engine_for(const ProjectStack& one, const RunCommand& command, const std::vector<EngineFile>& known,
                              const fs::path& folder) {
  EngineChoice choice = command.engine;
  if (choice.pythons.empty() && choice.engine.empty() && !one.run.python.empty())
    choice.pythons.push_back((folder / one.run.python).string());
  const std::string option = command.own.option_given();
  const auto specs = engines_of(choice, known, option.empty() ? key_of_code(one.run) : option);
  if (!specs) return specs.error();
  return importing_from(folder, *specs).front();
}

Case case_to_run(const ProjectStack& one, const RunCommand& command) {
  Case c = case_of(one);
  put_into(command.own, c);
  put_settings_into(command, c);
  c.settings.steps = command.steps.value_or(c.settings.steps);
  return c;
}

// The unexpired entry that allows the observed harm, if a rule predicts that harm; else nullptr.
const Allow* allowance_of(const ProjectStack& one, const Outcome& outcome, const Project& project, const std::string& today) {
  if (!is_harm(outcome.seen.verdict) || outcome.agreement != Agreement::confirmed) return nullptr;
  const Allow* by = allowance_for(project, one.name, outcome.prediction.rule, today);
  return by != nullptr && !has_expired(*by, today) ? by : nullptr;
}

std::string summary_of(const std::vector<int>& codes, std::size_t allowed) {
  std::size_t failed = 0, open = 0;
  for (const int code : codes) {
    if (code == kDecidedAgainst) ++failed;
    if (code == kUndecided) ++open;
  }
  return fmt::format("{}: {} passed, {} failed, {} allowed, {} undecided\n",
                     counted(static_cast<std::int64_t>(codes.size()), "stack"), codes.size() - failed - open - allowed, failed,
                     allowed, open);
}

}  // namespace

Result<int> run_project(const RunCommand& command) {
  if (command.engine.pythons.size() > 1)
    return Error{fmt::format("the stacks of {} are run under one interpreter, got {}; `ordercheck watch` compares two",
                             kProjectFile, command.engine.pythons.size())};
  const auto options = run_options(command);
  if (!options) return options.error();
  const auto today = day_of(command.today);
  if (!today) return today.error();
  const auto project = read_project();
  if (!project) return project.error();
  const auto stacks = chosen(*project, command.names);
  if (!stacks) return stacks.error();
  auto knowledge = load_knowledge(command.rules);
  if (!knowledge) return knowledge.error();
  if (const Status added = add_own_rules(*project, knowledge->rules); !added) return added.error();
  if (const Status ids = check_allowed_rules(*project, knowledge->rules); !ids) return ids.error();

  const bool json = command.format == "json";
  const fs::path folder = fs::path(project->path).parent_path();
  std::vector<std::string> objects;
  std::vector<int> codes;
  std::size_t allowed = 0;
  for (const ProjectStack& one : *stacks) {
    const auto failed = [&](const Error& error) {
      return Error{fmt::format("{}:{}: stack '{}': {}", project->path, one.line, one_line(one.name), error.message)};
    };
    const auto engine = engine_for(one, command, knowledge->engines, folder);
    if (!engine) return failed(engine.error());
    const auto ran = run_on(*engine, command, case_to_run(one, command), knowledge->rules, *options);
    if (!ran) return failed(ran.error());
    const Allow* by = ran->result ? allowance_of(one, ran->result->outcome, *project, *today) : nullptr;
    codes.push_back(by != nullptr ? kNothingAgainst : ran->exit_code);
    if (by != nullptr) ++allowed;
    if (json && ran->result) objects.push_back(std::string(trim(render_case_json(*ran->result, ran->hello))));
    if (!json) fmt::print("{} ({}:{})\n", one_line(one.name), project->path, one.line);
    if (!json && ran->result) fmt::print("{}", render_case_text(*ran->result, ran->hello));
    if (!json && by != nullptr)
      fmt::print("allowed    {} until {}: {} ({}:{})\n", by->rule, by->until, one_line(by->reason), project->path, by->line);
    if (!json) fmt::print("\n");
    fmt::print(stderr, "{}", ran->remark);
  }
  fmt::print("{}", json ? fmt::format("[{}]\n", join(objects, ",\n")) : summary_of(codes, allowed));
  return worst_of(codes);
}

}  // namespace ordercheck::cli
