// ordercheck matrix plan: the cases, and what is not planned and why.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/matrix/matrix.h"
#include "cli/shared/engine_session.h"
#include "cli/shared/format_option.h"
#include "report/ci/job_files.h"
#include "report/ci/slurm_script.h"
#include "report/text/summary.h"

namespace ordercheck::cli {
namespace {

std::vector<Case> cases_of(const Plan& plan) {
  std::vector<Case> cases;
  for (const PlannedCase& planned : plan.cases) cases.push_back(planned.subject);
  return cases;
}

std::string rendered(const MatrixCommand& command, const Planned& planned, const std::vector<PlannedShard>& shards) {
  if (command.format == "github") return render_jobs_github(shards);
  if (command.format == "gitlab") return render_jobs_gitlab(shards);
  if (command.format == "slurm-array") return render_jobs_slurm(shards);
  if (command.format == "slurm") return render_slurm_script(cases_of(planned.plan));
  return render_plan_text(planned.plan) + (command.shards_given ? render_shards_text(shards) : "");
}

Result<int> run_plan(const MatrixCommand& command) {
  const auto specs = builds_of(command);
  if (!specs) return specs.error();
  const bool jobs = command.format != "json" && command.format != "text";
  if (specs->size() > 1 && jobs)
    return Error{fmt::format("--format {} is the plan of one job matrix; name one interpreter with --python", command.format)};
  if ((jobs || command.shards_given) && !command.shard.empty())
    return Error{fmt::format("--shard {} is one of the shards, and all are asked for; leave it out", command.shard)};
  std::vector<std::string> objects;
  for (const EngineSpec& spec : *specs) {
    auto session = EngineSession::start(spec, 1, timeout_of(command.engine, spec));
    if (!session) return session.error();
    const auto planned = plan_of(command, (*session)->runner().hello());
    if (!planned) return planned.error();
    if (command.format == "slurm" && planned->plan.engine != Case{}.engine)
      return Error{
          fmt::format("--format slurm launches ranks of the native engine, got engine {}; --format slurm-array gives the "
                      "shards of an array",
                      planned->plan.engine)};
    const auto shards = shards_of_plan(*planned, command.shards, ShardCount::needed);
    if (!shards) return shards.error();
    if (command.format == "json")
      objects.push_back(planned->covering ? render_covering_json(*planned->covering) : render_plan_json(planned->plan));
    else
      fmt::print("{}{}", heading(spec, specs->size()), rendered(command, *planned, *shards));
    if (planned->covering && command.format == "text") fmt::print("{}", render_covering_text(*planned->covering));
  }
  if (!objects.empty()) fmt::print("{}", objects_text(objects));
  return kNothingAgainst;
}

}  // namespace

void add_matrix_plan(CLI::App& matrix, const std::shared_ptr<MatrixCommand>& options, int& exit_code) {
  CLI::App* plan = matrix.add_subcommand("plan", "List the cases, and what is not planned and why");
  add_folders(plan, *options);
  add_selection(plan, *options);
  plan->add_option("--format", options->format,
                   "text, json, github, gitlab, slurm (a batch script that launches ranks) or slurm-array")
      ->check(CLI::IsMember({"text", "json", "github", "gitlab", "slurm", "slurm-array"}))
      ->capture_default_str();
  add_json_flag(*plan, options->format);
  CLI::Option* shards = plan->add_option("--shards", options->shards, "Jobs of a GitHub or GitLab matrix, or of a Slurm array")
                            ->check(CLI::Range(1, 10'000))
                            ->capture_default_str();
  show_examples(*plan, {"matrix plan --only '*tp=2*'", "matrix plan --tier full --format github --shards 8",
                        "matrix plan --covering 2", "matrix plan --changed ORD-004"});
  plan->callback([options, shards, &exit_code] {
    options->shards_given = shards->count() > 0;
    exit_code = ended("matrix", run_plan(*options));
  });
}

}  // namespace ordercheck::cli
