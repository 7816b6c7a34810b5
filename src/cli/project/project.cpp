#include "cli/project/project.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/project/found_project.h"
#include "cli/settings/project_report.h"
#include "cli/settings/project_view.h"
#include "rules/check.h"
#include "rules/cure.h"
#include "rules/glossary.h"
#include "rules/repair.h"
#include "stack/notation.h"

namespace ordercheck::cli {
namespace {

// Caches the judges of a project's stacks. Most stacks share a target and a job, and loading knowledge takes longer than
// judging a stack.
class Judges {
 public:
  Judges(const Project& project, const CheckOptions& options)
      : project_(project), options_(options), question_(options.question) {}

  Result<Report> judge(const ProjectStack& one) {
    const std::string& target = question_.target.empty() && question_.python.empty() ? one.target : question_.target;
    const auto bench = bench_for(target);
    if (!bench) return bench.error();
    Seat& seat = seat_for(**bench, one.job);
    Report report = check(one.stack, seat.judge, seat.search);
    report.target_assumed = (*bench)->settled.assumed;
    report.newest_run = (*bench)->settled.newest_run;
    return report;
  }

  // The error of --select or --ignore, which concerns no stack; unset if they are valid.
  const std::optional<Error>& wrong_selection() const { return wrong_selection_; }

  // For the rules of the last stack's target; every rule for a project without stacks.
  RuleSelection selection() const { return benches_.empty() ? RuleSelection() : benches_.back()->selection; }

  // The rules loaded for the last stack's target; empty for a project without stacks.
  const std::vector<Rule>& rules() const {
    static const std::vector<Rule> none;
    return benches_.empty() ? none : benches_.back()->known.rules;
  }

 private:
  struct Seat {
    Judge judge;
    RepairSearch search;
    explicit Seat(Judge of) : judge(std::move(of)), search(judge) {}
  };
  struct Bench {
    std::string target;  // as written
    Knowledge known;
    RuleSelection selection;
    SettledTarget settled;
    std::vector<std::unique_ptr<Seat>> seats;  // one per job
  };

  Result<Bench*> bench_for(const std::string& target) {
    for (const auto& bench : benches_)
      if (bench->target == target) return bench.get();
    const auto engines = known_engines(question_.rules);
    if (!engines) return engines.error();
    const auto asked = asked_target(target, question_.python, *engines);
    if (!asked) return asked.error();
    auto known = load_knowledge(question_.rules, *asked);
    if (!known) return known.error();
    if (const Status added = add_own_rules(project_, known->rules); !added) return added.error();
    auto settled = settle(*asked, *known);
    if (!settled) return settled.error();
    auto selection = RuleSelection::parse(options_.select, options_.ignore, known->rules);
    if (!selection) return *(wrong_selection_ = selection.error());
    benches_.push_back(std::make_unique<Bench>(Bench{.target = target,
                                                     .known = std::move(known).value(),
                                                     .selection = std::move(selection).value(),
                                                     .settled = std::move(settled).value(),
                                                     .seats = {}}));
    return benches_.back().get();
  }

  static Seat& seat_for(Bench& bench, const Job& job) {
    for (const auto& seat : bench.seats)
      if (seat->judge.job() == job) return *seat;
    bench.seats.push_back(
        std::make_unique<Seat>(Judge(bench.known.rules, bench.settled.target, bench.known.observations, job, bench.selection)));
    return *bench.seats.back();
  }

  const Project& project_;
  const CheckOptions& options_;
  const Question& question_;
  std::optional<Error> wrong_selection_;
  std::vector<std::unique_ptr<Bench>> benches_;
};

struct JudgedProject {
  ProjectReport report;
  std::vector<Rule> rules;
};

Result<JudgedProject> judge_project(const CheckOptions& asked) {
  const auto day = day_of(asked.today);
  if (!day) return day.error();
  auto read = read_project(asked.fix);
  if (!read) return read.error();
  Project project = std::move(read).value();
  Judges judges(project, asked);
  std::vector<Report> reports;
  for (const ProjectStack& one : project.stacks) {
    auto report = judges.judge(one);
    if (!report && judges.wrong_selection()) return *judges.wrong_selection();
    if (!report)
      return Error{fmt::format("{}:{}: stack '{}': {}", project.path, one.line, one_line(one.name), report.error().message)};
    reports.push_back(std::move(report).value());
  }
  const std::vector<Rule>& rules = judges.rules();
  if (const Status ids = check_allowed_rules(project, rules); !ids) return ids.error();
  leave_out_unasked(project, judges.selection());
  return JudgedProject{.report = judged(project, std::move(reports), *day, from_repository(project.path)), .rules = rules};
}

// --fix: writes the repaired stacks into the project file, all or none, prints each, and returns their number.
Result<std::size_t> write_repairs(const ProjectReport& report) {
  auto text = read_file(report.path);
  if (!text) return text.error();
  std::string repaired;
  std::size_t written = 0;
  for (std::size_t at = 0; at < report.stacks.size(); ++at) {
    const StackReport& one = report.stacks[at];
    if (!one.report.repaired) continue;
    text = with_stack(*text, report.path, at, *one.report.repaired);
    if (!text) return text.error();
    repaired += fmt::format("{}:{}: {}: {} is now {}\n", report.path, one.entry.line, one_line(one.entry.name),
                            print(one.entry.stack), print(*one.report.repaired));
    for (const std::string& edit : program_edits(one.entry.stack, *one.report.repaired))
      repaired += fmt::format("  in {}: {}\n", kEditsAreIn, edit);
    ++written;
  }
  if (written > 0)
    if (const Status done = replace_file(report.path, *text); !done) return done.error();
  fmt::print("{}", written > 0 ? repaired : fmt::format("{}: there is nothing to repair\n", report.path));
  return written;
}

}  // namespace

const std::vector<std::string>& project_formats() {
  static const std::vector<std::string> all{"text", "concise", "json", "sarif", "junit", "github"};
  return all;
}

std::string render(const ProjectReport& report, const CheckOptions& options, const std::vector<Rule>& rules) {
  const std::string& format = options.question.format;
  if (options.statistics) return render_project_statistics(report, rules);
  if (format == "json") return render_project_json(report);
  if (format == "sarif") return render_project_sarif(report, rules, ORDERCHECK_VERSION);
  if (format == "junit") return render_project_junit(report);
  if (format == "github") return render_project_github(report);
  if (format == "concise") return render_project_concise(report);
  if (options.quiet) return render_project_briefly(report);
  return report.of_code ? render_code_text(report) : render_project_text(report);
}

std::string from_repository(const std::filesystem::path& file) {
  std::error_code failed;
  const auto whole = std::filesystem::weakly_canonical(std::filesystem::absolute(file, failed), failed);
  for (auto above = whole.parent_path(); above.has_relative_path(); above = above.parent_path())
    if (std::filesystem::exists(above / ".git", failed)) return whole.lexically_relative(above).generic_string();
  return file.filename().generic_string();
}

ProjectReport judged_in_file(Report report, const std::string& file, const std::vector<OpenPlace>& open) {
  if (file.empty()) return judged(std::move(report));
  std::map<std::string, std::string> stated_in;
  std::vector<Origin> origins;
  for (const Item& item : report.stack.items) origins.push_back(item.origin);
  for (const OpenPlace& place : open) origins.push_back(place.where);
  for (const Origin& origin : origins) {
    if (origin.line == 0) continue;
    // An origin in another file that this one names is relative to this file's folder.
    const std::filesystem::path path =
        origin.file == file ? std::filesystem::path(file) : std::filesystem::path(file).parent_path() / origin.file;
    stated_in[origin.file] = from_repository(path);
  }
  ProjectReport made = judged(std::move(report), file, from_repository(file));
  made.code = std::move(stated_in);
  made.open = open;
  return made;
}

Result<int> check_project(const CheckOptions& asked) {
  const Question& question = asked.question;
  if (!question.job.sizes.empty() || !question.job.config.empty() || question.job.ranks > 0)
    return Error{fmt::format(
        "--set, --config and --ranks apply to a single stack; write the sizes of the stacks of {} there, under 'sizes'",
        kProjectFile)};
  if (!asked.fix.empty() && question.format != "text")
    return Error{fmt::format("--fix prints text; leave out --format {}", question.format)};
  auto judged = judge_project(asked);
  if (judged && !asked.fix.empty()) {
    const auto rewritten = write_repairs(judged->report);
    if (!rewritten) return rewritten.error();
    if (*rewritten > 0) judged = judge_project(asked);
  }
  if (!judged) return judged.error();
  fmt::print("{}", render(judged->report, asked, judged->rules));
  const bool against = errors_of(judged->report) > 0 || (asked.strict && advice_of(judged->report) > 0);
  if (against) return kDecidedAgainst;
  return undecided_of(judged->report) > 0 ? kUndecided : kNothingAgainst;
}

}  // namespace ordercheck::cli
