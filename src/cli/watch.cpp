// ordercheck watch [STACK]... --python A --python B: checks whether stacks change their verdict with another PyTorch.
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/enum.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/project/found_project.h"
#include "cli/settings/project_notes.h"
#include "cli/shared/engine_choice.h"
#include "cli/shared/engine_session.h"
#include "cli/shared/format_option.h"
#include "cli/shared/own_code.h"
#include "cli/shared/repro_script.h"
#include "matrix/engine_spec.h"
#include "matrix/knowledge.h"
#include "rules/job.h"
#include "rules/prediction.h"
#include "stack/notation.h"

namespace ordercheck::cli {
namespace {

namespace fs = std::filesystem;

struct WatchCommand {
  std::vector<std::string> stacks;
  std::string out = "ordercheck-watch";  // a folder
  std::string rules;
  std::string today;
  std::string format = "text";
  OwnCode own;
  EngineChoice engine;
};

// A watched case with its name in the output.
struct Watched {
  std::string name;  // in the project file; "" for a stack of the command line
  Case subject;
  std::optional<Job> job = {};  // sizes of the project's own model
};

std::string print(const Watched& one) {
  return one.name.empty() ? print(one.subject) : fmt::format("{}: {}", one_line(one.name), print(one.subject));
}

// Stacks with settings, as for `repro`; duplicates are watched once.
Result<std::vector<Watched>> watched_stacks(const WatchCommand& command) {
  std::vector<Watched> all;
  for (const std::string& written : command.stacks) {
    auto parsed = parse_case(written);
    if (!parsed) return parsed.error();
    Case c = *std::move(parsed);
    put_into(command.own, c);
    c = with_usual_arithmetic(std::move(c));
    const auto is_same = [&](const Watched& other) { return other.subject == c; };
    if (std::ranges::none_of(all, is_same)) all.push_back({.name = "", .subject = std::move(c)});
  }
  return all;
}

std::vector<Watched> watched_stacks(const WatchCommand& command, const Project& project) {
  std::vector<Watched> all;
  for (const ProjectStack& one : project.stacks) {
    Case c = case_of(one);
    put_into(command.own, c);
    const bool own_model = !one.run.model.empty() && c.model == one.run.model;
    all.push_back({.name = one.name, .subject = std::move(c), .job = own_model ? std::optional(one.job) : std::nullopt});
  }
  return all;
}

// The stacks of the command line, else those of .ordercheck.toml. For the former `project` is empty, so it has no [[allow]]
// entries.
struct Watching {
  Project project;
  std::vector<Watched> stacks;
};

Result<Watching> what_to_watch(const WatchCommand& command) {
  if (!command.stacks.empty()) {
    auto written = watched_stacks(command);
    if (!written) return written.error();
    return Watching{.project = {}, .stacks = std::move(written).value()};
  }
  auto project = read_project();
  if (!project) return project.error();
  std::vector<Watched> stacks = watched_stacks(command, *project);
  return Watching{.project = std::move(project).value(), .stacks = std::move(stacks)};
}

// Runs the watched cases on one interpreter. Returns one observation per case, in order; empty if the engine crashed, which
// was already printed. An error is bad input.
Result<std::vector<Observation>> seen_on(const EngineSpec& spec, const WatchCommand& command,
                                         const std::vector<Watched>& watched, const std::vector<Rule>& rules) {
  auto session = EngineSession::start(spec, 0, timeout_of(command.engine, spec));
  if (!session) return session.error();
  const Hello& hello = (*session)->runner().hello();
  Plan plan{.engine = hello.engine, .cases = {}, .not_planned = {}};
  std::vector<Case> asked;
  for (const Watched& one : watched) {
    Case c = one.subject;
    c.engine = hello.engine;
    if (const std::string reason = why_not(c, hello); !reason.empty())
      return Error{one.name.empty() ? reason : fmt::format("stack '{}': {}", one_line(one.name), reason)};
    asked.push_back(c);
    if (std::ranges::find(plan.cases, c, &PlannedCase::subject) == plan.cases.end())
      plan.cases.push_back({.subject = c, .sources = {}});
  }
  const auto result = (*session)->run(plan, rules, {});
  std::vector<Observation> seen;
  if (!result) {
    undecided("watch", result.error().message);
    return seen;
  }
  for (const Case& c : asked) {
    const auto found =
        std::ranges::find_if(result->cases, [&](const CaseResult& one) { return print(one.planned.subject) == print(c); });
    if (found == result->cases.end()) return Error{result->plan.not_planned.front().reason};
    seen.push_back(found->outcome.seen);
  }
  return seen;
}

// Whether the verdict or the phase of a failure differs. Another message or module is no change.
bool changed(const Observation& before, const Observation& after) {
  return before.verdict != after.verdict || before.phase != after.phase;
}

bool undecided_one(const Observation& seen) { return exit_code_of(seen.verdict) == kUndecided; }

// Whether an [[allow]] entry of the project covers a changed verdict.
struct Standing {
  const Allow* by = nullptr;  // the entry for the rule that predicts the result; nullptr if there is none
  bool expired = false;
};

// An entry allows only the harm that its rule predicts for the second interpreter and that was observed there. The project's
// sizes apply to its own model; the engine's models have their own.
Standing standing_of(const Watched& one, const Observation& after, const std::vector<Rule>& rules, const Target& target,
                     const Project& project, const std::string& today) {
  const Job job = one.job.value_or(job_of(one.subject));
  const Prediction said = predict(one.subject.stack, rules, target, job);
  if (said.rule.empty() || !is_harm(after.verdict)) return {};
  if (bears_out(said.claim, after, nullptr).bearing != Bearing::borne_out) return {};
  const Allow* by = allowance_for(project, one.name, said.rule, today);
  return {.by = by, .expired = by != nullptr && has_expired(*by, today)};
}

std::string entry_in_words(const Allow& allow, const Project& project, const char* allowed) {
  return fmt::format("           {} {} until {}: {} ({}:{})\n", allow.rule, allowed, allow.until, one_line(allow.reason),
                     project.path, allow.line);
}

// What happened to the verdict of a stack.
ORDERCHECK_ENUM(VerdictChange, changed, allowed, unchanged, undecided)

VerdictChange change_of(const Observation& before, const Observation& after, const Standing& standing) {
  if (undecided_one(before) || undecided_one(after)) return VerdictChange::undecided;
  if (!changed(before, after)) return VerdictChange::unchanged;
  return standing.by != nullptr && !standing.expired ? VerdictChange::allowed : VerdictChange::changed;
}

// The reason for the verdict that matters more; "" for a verdict that stayed good.
std::string reason_for(VerdictChange change, const Observation& before, const Observation& after) {
  if (change == VerdictChange::unchanged) return is_harm(after.verdict) ? one_line(reason_of(after)) : "";
  const bool is_before =
      change == VerdictChange::undecided ? !undecided_one(after) : exit_code_of(after.verdict) == kNothingAgainst;
  return one_line(reason_of(is_before ? before : after));
}

std::string line_of(const Watched& one, VerdictChange change, const Observation& before, const Observation& after) {
  const std::string name = print(one), reason = reason_for(change, before, after);
  const std::string both = fmt::format("{} -> {}", verdict_in_words(before), verdict_in_words(after));
  if (change == VerdictChange::undecided) return fmt::format("undecided  {}: {}: {}\n", name, both, reason);
  const std::string below = reason.empty() ? "" : fmt::format("           {}\n", reason);
  if (change == VerdictChange::unchanged) return fmt::format("unchanged  {}: {}\n{}", name, verdict_in_words(after), below);
  return fmt::format("{}  {}: {}\n{}", change == VerdictChange::allowed ? "allowed  " : "CHANGED  ", name, both, below);
}

// Writes the script for the second interpreter and returns its path. An error does not change the answer.
Result<std::string> write_repro(const Case& c, std::size_t number, const EngineSpec& engine, const fs::path& folder) {
  Case named = c;
  named.engine = engine.name;
  const fs::path path = folder / fmt::format("repro-{}.py", number);
  auto script = repro_script(named, engine);
  if (!script) return script.error();
  if (const Status written = check_writable(folder); !written) return written.error();
  if (const Status written = replace_file(path, *script); !written) return written.error();
  return path.string();
}

// Prints every stack, writes scripts for changed ones, and returns the exit code.
int tell(const Watching& watching, const std::vector<Observation>& was, const std::vector<Observation>& is,
         const std::vector<EngineSpec>& specs, const std::vector<Rule>& rules, const std::string& today,
         const WatchCommand& command) {
  using Json = nlohmann::ordered_json;
  const auto names = names_of_builds(specs);
  const Target target = target_of({.engine = specs.back().name, .versions = {specs.back().build}});
  std::map<VerdictChange, std::size_t> counts;
  Json stacks = Json::array();
  std::string text = fmt::format("{} -> {}\n", names[0], names[1]);
  for (std::size_t i = 0; i < watching.stacks.size(); ++i) {
    const Watched& one = watching.stacks[i];
    const Observation &before = was[i], &after = is[i];
    const Standing standing = standing_of(one, after, rules, target, watching.project, today);
    const VerdictChange change = change_of(before, after, standing);
    ++counts[change];
    text += line_of(one, change, before, after);
    const bool is_changed = change == VerdictChange::changed || change == VerdictChange::allowed;
    if (is_changed && standing.by != nullptr)
      text += entry_in_words(*standing.by, watching.project, change == VerdictChange::allowed ? "is allowed" : "was allowed");
    Json repro(nullptr);
    if (change == VerdictChange::changed) {
      const auto path = write_repro(one.subject, i + 1, specs.back(), command.out);
      if (path) repro = *path;
      text += path ? fmt::format("           repro: {} {}\n", specs.back().command[0], *path)
                   : fmt::format("           no repro: {}\n", one_line(path.error().message));
    }
    stacks.push_back({{"name", one.name},
                      {"case", print(one.subject)},
                      {"change", name_of(change)},
                      {"before", verdict_in_words(before)},
                      {"after", verdict_in_words(after)},
                      {"reason", reason_for(change, before, after)},
                      {"allowed_by", change == VerdictChange::allowed ? Json(standing.by->rule) : Json(nullptr)},
                      {"repro", repro}});
  }
  const std::size_t allowed = counts[VerdictChange::allowed];
  text += fmt::format("{} changed, {}{} unchanged, {} undecided\n", counts[VerdictChange::changed],
                      allowed > 0 ? fmt::format("{} allowed, ", allowed) : "", counts[VerdictChange::unchanged],
                      counts[VerdictChange::undecided]);
  const Json whole{{"schema", "ordercheck/watch/1"}, {"before", names[0]}, {"after", names[1]}, {"stacks", stacks}};
  fmt::print("{}", command.format == "json" ? whole.dump(2, ' ', false, Json::error_handler_t::replace) + "\n" : text);
  if (counts[VerdictChange::changed] > 0) return kDecidedAgainst;
  return counts[VerdictChange::undecided] > 0 ? kUndecided : kNothingAgainst;
}

Result<int> run_watch(const WatchCommand& command) {
  if (const auto written = check_own_code(command.own); !written) return written.error();
  if (command.engine.pythons.size() != 2)
    return Error{fmt::format("expected two interpreters, before and after, got {}: --python A --python B",
                             command.engine.pythons.size())};
  const auto watching = what_to_watch(command);
  if (!watching) return watching.error();
  const Project& project = watching->project;
  const auto today = day_of(command.today);
  if (!today) return today.error();
  auto knowledge = load_knowledge(command.rules);
  if (!knowledge) return knowledge.error();
  std::vector<Rule>& rules = knowledge->rules;
  if (const Status added = add_own_rules(project, rules); !added) return added.error();
  if (const Status ids = check_allowed_rules(project, rules); !ids) return ids.error();
  const auto engines = engines_of(command.engine, knowledge->engines, command.own.option_given());
  if (!engines) return engines.error();
  const auto specs = importing_from(fs::path(project.path).parent_path(), *engines);
  std::vector<std::vector<Observation>> seen;
  for (const EngineSpec& spec : specs) {
    auto one = seen_on(spec, command, watching->stacks, rules);
    if (!one) return one.error();
    if (one->empty()) return kUndecided;
    seen.push_back(std::move(one).value());
  }
  return tell(*watching, seen[0], seen[1], specs, rules, *today, command);
}

}  // namespace

void add_watch(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<WatchCommand>();
  CLI::App* command = app.add_subcommand("watch", "Check whether stacks change their verdict with another PyTorch");
  command->group(kRun);
  command->add_option(
      "stacks", options->stacks,
      "Stacks, each quoted, then settings: tp=2,fsdp=2 steps=1; default: the stacks of .ordercheck.toml, here or in a "
      "folder above");
  add_engine_options(command, options->engine);
  add_timeout_option(command, options->engine);
  add_own_code_options(command, options->own);
  command->add_option("-o,--out", options->out, "The folder for repro scripts of changed stacks")->capture_default_str();
  command->add_option("--rules", options->rules, "The folder of rules");
  add_format_option(*command, options->format);
  command->add_option("--today", options->today, "Today's date, YYYY-MM-DD, for expiry of entries in .ordercheck.toml");
  show_examples(*command, {"watch --python stable/bin/python --python nightly/bin/python tp=2,compile,fsdp=2 fsdp=4",
                           "watch --python stable/bin/python --python nightly/bin/python"});
  command->callback([options, &exit_code] { exit_code = ended("watch", run_watch(*options)); });
}

}  // namespace ordercheck::cli
