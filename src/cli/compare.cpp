// ordercheck compare STACK STACK: prints the differences, the findings of each stack, and the results of runs of both.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/shared/engine_choice.h"
#include "cli/shared/engine_session.h"
#include "cli/shared/format_option.h"
#include "cli/shared/import_view.h"
#include "cli/shared/kept_run.h"
#include "cli/shared/own_code.h"
#include "cli/shared/question.h"
#include "record/counters.h"
#include "report/text/side_by_side.h"
#include "report/text/summary.h"
#include "rules/job.h"
#include "rules/render.h"
#include "rules/stack_changes.h"
#include "stack/notation.h"

namespace ordercheck::cli {
namespace {

struct CompareOptions {
  std::vector<std::string> words;
  std::string as;
  std::string target;  // "" if not given
  JobChoice job;
  std::string rules;
  bool run = false;
  std::string format = "text";
  EngineChoice engine;
  OwnCodeOfTwo own;
};

using Json = nlohmann::ordered_json;

// Prints the parts of the answer as text, or collects them as one JSON object that finish() prints.
class Comparison {
 public:
  explicit Comparison(bool is_json) : is_json_(is_json) {}
  bool is_json() const { return is_json_; }

  void text(const std::string& part) const {
    if (!is_json_) fmt::print("{}", part);
  }
  // Sets the key, or appends to its list.
  void set(const char* key, Json value) { whole_[key] = std::move(value); }
  void add(const char* key, Json value) { whole_[key].push_back(std::move(value)); }
  void finish() const {
    if (is_json_) fmt::print("{}\n", whole_.dump(2, ' ', false, Json::error_handler_t::replace));
  }

 private:
  bool is_json_;
  Json whole_{{"schema", "ordercheck/compare/1"}};
};

int tell_findings(const char* side, const Stack& stack, const Judge& judge, bool assumed, Comparison& answer) {
  Report report = check(stack, judge);
  report.target_assumed = assumed;
  answer.text(fmt::format("\nFindings of the {}: {}\n{}", side, print(stack), render_text(report, wants_colour())));
  answer.add("findings", {{"side", side}, {"report", Json::parse(render_json(report))}});
  return count_of(report, Severity::error) > 0 ? kDecidedAgainst : kNothingAgainst;
}

Json json_of(const SeenOfTwo& seen) {
  const auto verdict = [](const Observation* one) { return one == nullptr ? Json(nullptr) : Json(verdict_in_words(*one)); };
  const auto number = [](std::int64_t value) { return is_measured(value) ? Json(value) : Json(nullptr); };
  Json counters = Json::array();
  for (const CounterApart& one : seen.apart)
    counters.push_back({{"counter", one.counter}, {"left", number(one.left)}, {"right", number(one.right)}});
  return {{"engine", seen.engine},      {"version", seen.version},      {"on", seen.on},
          {"left", verdict(seen.left)}, {"right", verdict(seen.right)}, {"counters", counters}};
}

void tell_evidence(const Stack& left, const Stack& right, const std::vector<Observation>& observations, Comparison& answer) {
  const auto seen = seen_of(left, right, observations);
  answer.text(fmt::format("\nWhat committed runs showed:{}\n", seen.empty() ? " neither was run; --run runs both" : ""));
  answer.set("committed_runs", Json::array());
  for (const SeenOfTwo& one : seen) {
    answer.text(render_table(table_of(one, "left", "right")));
    answer.add("committed_runs", json_of(one));
  }
}

Json json_of(const StackChanges& changes) {
  Json only_left = Json::array(), only_right = Json::array(), changed = Json::array(), swapped = Json::array();
  Json axes = Json::array();
  for (const Item& item : changes.only_left) only_left.push_back(print(item));
  for (const Item& item : changes.only_right) only_right.push_back(print(item));
  for (const ItemChange& one : changes.changed) changed.push_back({{"left", print(one.left)}, {"right", print(one.right)}});
  const auto word = [](const PairAnswer& one) {
    return Json{{"word", name_of(one.word)}, {"rule", one.rule == nullptr ? Json(nullptr) : Json(one.rule->id)}};
  };
  for (const Swap& one : changes.swapped)
    swapped.push_back(
        {{"first", print(one.first)}, {"second", print(one.second)}, {"left", word(one.left)}, {"right", word(one.right)}});
  for (const AxisChange& one : changes.axes) axes.push_back({{"axis", one.axis}, {"left", one.left}, {"right", one.right}});
  return {{"only_left", only_left}, {"only_right", only_right}, {"changed", changed}, {"swapped", swapped}, {"axes", axes}};
}

const CaseResult& result_of(const Case& subject, const PlanResult& result) {
  return *std::ranges::find(result.cases, subject, [](const CaseResult& one) { return one.planned.subject; });
}

// One of the two stacks on the command line. An imported file may also state ranks and sizes.
struct Side {
  std::string word;
  Stack stack;
  std::optional<Imported> imported;
  OwnCode own;
};

// The case to run, or to name, on the engine.
Case case_of(const Side& side, const std::string& engine) {
  Case c = usual_case(side.stack, model_of(side.stack, Case{}.model), engine);
  put_into(side.own, c);
  return c;
}

// "fsdp=2 model=mine:net apply=mine:shard": what tells the two sides apart.
std::string print(const Side& side) {
  Case c{.stack = side.stack};
  put_into(side.own, c);
  return print(c);
}

// The target of a file that states one: a project that pages name, or the release that a job ran on.
std::optional<SettledTarget> own_target(const Side& side, const Knowledge& knowledge) {
  if (!side.imported) return std::nullopt;
  for (const std::string& target : {side.imported->project, side.imported->fallback})
    if (!target.empty())
      if (auto own = settled_target(target, "", knowledge)) return *own;
  return std::nullopt;
}

int tell_run(CaseResult& result, const Side& side, const Hello& hello, const Knowledge& knowledge, const Comparison& answer) {
  if (!side.imported) return exit_code_of(result.outcome);
  answer.text(render_who_ran(side.word, *side.imported, hello, knowledge.engines));
  leave_open(result.outcome, *side.imported);
  return exit_code_of(result.outcome, *side.imported);
}

Result<int> run_both(EngineSession& session, const Side& left_side, const Side& right_side, const Knowledge& knowledge,
                     Comparison& answer) {
  const Hello hello = session.runner().hello();
  const Case left = case_of(left_side, hello.engine), right = case_of(right_side, hello.engine);
  Plan plan{.engine = hello.engine, .cases = {{.subject = left, .sources = {}}}, .not_planned = {}};
  if (left != right) plan.cases.push_back({.subject = right, .sources = {}});
  std::ranges::sort(plan.cases, {}, [](const PlannedCase& one) { return print(one.subject); });
  for (const PlannedCase& one : plan.cases)
    if (const std::string reason = why_not(one.subject, hello); !reason.empty())
      return Error{fmt::format("{}: {}", print(one.subject), reason)};
  const auto result = session.run(plan, knowledge.rules, {});
  if (!result) {
    return undecided("compare", result.error().message);
  }
  if (!result->plan.not_planned.empty()) {
    const NotPlanned& declined = result->plan.not_planned.front();
    return Error{fmt::format("{}: {}", print(declined.subject), declined.reason)};
  }
  CaseResult one = result_of(left, *result), other = result_of(right, *result);
  answer.text("\n");
  const std::vector<int> codes{tell_run(one, left_side, hello, knowledge, answer),
                               tell_run(other, right_side, hello, knowledge, answer)};
  answer.text("What the two runs showed:\n" + render_two_runs(one, other, hello));
  answer.add("runs",
             {{"left", Json::parse(render_case_json(one, hello))}, {"right", Json::parse(render_case_json(other, hello))}});
  return worst_of(codes);
}

// Starts the engine of each interpreter.
Result<std::vector<std::unique_ptr<EngineSession>>> start_engines(const CompareOptions& options, const Knowledge& knowledge) {
  std::vector<std::unique_ptr<EngineSession>> sessions;
  if (!options.run) return sessions;
  const auto specs = engines_of(options.engine, knowledge.engines, options.own.option_given());
  if (!specs) return specs.error();
  for (const EngineSpec& spec : *specs) {
    auto session = EngineSession::start(spec, 0, timeout_of(options.engine, spec));
    if (!session) return session.error();
    sessions.push_back(std::move(session).value());
  }
  return sessions;
}

// The targets that the stacks are checked for: that of --for, else the version of each engine build that runs, else the
// default.
Result<std::vector<SettledTarget>> targets_of(const CompareOptions& options, const std::string& python,
                                              const std::vector<std::unique_ptr<EngineSession>>& sessions,
                                              const Knowledge& knowledge) {
  std::vector<SettledTarget> targets;
  if (sessions.empty() || !options.target.empty()) {
    auto settled = settled_target(options.target, python, knowledge);
    if (!settled) return settled.error();
    targets.push_back(std::move(settled).value());
    return targets;
  }
  for (const auto& session : sessions) {
    const Target running = target_of(session->runner().hello());
    if (std::ranges::find(targets, running, &SettledTarget::target) != targets.end()) continue;
    const auto settled = settle(running, knowledge);  // an error if no rule covers the engine
    targets.push_back(settled ? *settled : SettledTarget{.target = running});
  }
  return targets;
}

Result<int> run_compare(CompareOptions options) {
  const std::string own = options.own.model.empty() ? options.own.option_given() : "--model";
  if (!own.empty()) {
    if (const auto written = options.own.check(); !written) return written.error();
    if (!options.run) return Error{own + " needs --run; add --run"};
    if (options.words.size() == 1) options.words.push_back(options.words.front());
  }
  const auto stacks = stacks_of(options.words, options.as, 2);
  if (!stacks) return stacks.error();
  if (!options.run && !options.engine.engine.empty()) return Error{"--engine needs --run; add --run"};
  if (!options.run && options.engine.pythons.size() > 1)
    return Error{"several --python need --run; add --run, or give one to check for its torch"};
  const auto knowledge = load_knowledge(options.rules);
  if (!knowledge) return knowledge.error();
  const bool one_python = options.engine.pythons.size() == 1;
  const std::string python = one_python && !options.run ? options.engine.pythons.front() : "";
  const auto job = job_of(options.job);
  if (!job) return job.error();

  const auto sessions = start_engines(options, *knowledge);
  if (!sessions) return sessions.error();
  const auto targets = targets_of(options, python, *sessions, *knowledge);
  if (!targets) return targets.error();

  const Side left{options.words.front(), stacks->front().stack, stacks->front().imported, options.own.left()};
  const Side right{options.words.back(), stacks->back().stack, stacks->back().imported, options.own.right()};
  Job stated = *job;
  for (const WrittenStack& one : *stacks)
    if (one.imported) stated = with_stated(stated, *one.imported);
  const Judge judge(knowledge->rules, targets->front().target, knowledge->observations, stated);
  Comparison answer(options.format == "json");
  const StackChanges changes = changes_between(left.stack, right.stack, judge);
  answer.text(fmt::format("left   {}\nright  {}\n\nWhat changes from left to right:\n{}", print(left), print(right),
                          render_text(changes, judge)));
  answer.set("left", print(left));
  answer.set("right", print(right));
  answer.set("changes", json_of(changes));
  for (const WrittenStack& one : *stacks)
    if (one.imported) answer.text("\n" + render_import_below(*one.imported));
  std::vector<int> codes;
  const bool is_said = !options.target.empty() || !python.empty() || !sessions->empty();
  for (const SettledTarget& target : *targets)
    for (const auto& [name, side] : {std::pair{"left", &left}, {"right", &right}}) {
      if (side == &right && left.stack == right.stack) continue;
      const SettledTarget own = is_said ? target : own_target(*side, *knowledge).value_or(target);
      const Job own_job = side->imported ? with_stated(*job, *side->imported) : stated;
      const Judge for_side(knowledge->rules, own.target, knowledge->observations, own_job);
      codes.push_back(tell_findings(name, side->stack, for_side, own.assumed, answer));
      if (side->imported && !refusals_of(*side->imported).empty()) codes.push_back(kDecidedAgainst);
      if (side->imported && leaves_open(*side->imported)) codes.push_back(kUndecided);
    }
  if (!options.run) tell_evidence(left.stack, right.stack, knowledge->observations, answer);
  // Stop only on input that must be changed; other failures of one interpreter still show the runs of the rest.
  for (const auto& session : *sessions) {
    const auto ran = run_both(*session, left, right, *knowledge, answer);
    if (!ran) return ran;
    codes.push_back(*ran);
  }
  answer.finish();
  return worst_of(codes);
}

}  // namespace

void add_compare(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand("compare", "Print what changes between two stacks, and the effect on training");
  command->group(kAsk);
  command
      ->add_option("stacks", options->words,
                   "Two stacks, each quoted: tp=2,ac,fsdp=2 ac,tp=2,fsdp=2; or files that `import` reads")
      ->required();
  add_as_option(*command, options->as);
  add_target_option(*command, options->target);
  add_job_options(*command, options->job);
  command->add_flag("--run", options->run, "Run both instead of using committed runs");
  add_own_code_options(command, options->own);
  add_engine_options(command, options->engine);
  add_timeout_option(command, options->engine);
  command->add_option("--rules", options->rules, "The folder of rules");
  add_format_option(*command, options->format);
  show_examples(*command, {"compare tp=2,ac,fsdp=2 ac,tp=2,fsdp=2", "compare tp=2,ac,fsdp=2 ac,tp=2,fsdp=2 --run",
                           "compare fsdp=2 --model mine:net --apply mine:old --apply mine:new --run --python python3"});
  command->callback([options, &exit_code] { exit_code = ended("compare", run_compare(*options)); });
}

}  // namespace ordercheck::cli
