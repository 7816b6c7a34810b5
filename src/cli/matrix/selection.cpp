#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/matrix/matrix.h"
#include "evidence/shard.h"
#include "knowledge/knowledge.h"
#include "plan/changed.h"
#include "plan/coverage.h"
#include "report/text/summary.h"

namespace ordercheck::cli {
namespace {

namespace fs = std::filesystem;

Result<Shard> shard_asked(const std::string& text) {
  if (text.empty()) return Shard{};
  if (const auto shard = parse_shard(text)) return *shard;
  return Error{fmt::format("--shard '{}' is not i/n with 1 <= i <= n", text)};
}

// A case is meant by its whole text, or by what is left of it without its engine, which --engine has said.
bool matches(const std::string& pattern, Case c) {
  if (glob_match(pattern, print(c))) return true;
  c.engine = Case{}.engine;
  return glob_match(pattern, print(c));
}

bool matches(const std::vector<std::string>& patterns, const Case& c) {
  return std::ranges::any_of(patterns, [&](const std::string& pattern) { return matches(pattern, c); });
}

}  // namespace

void add_folders(CLI::App* command, MatrixCommand& options) {
  command->add_option("--rules", options.rules, "The folder of rules");
  command->add_option("--matrix", options.folder, "The folder of space.toml, space-<engine>.toml, frameworks/ and evidence/");
}

void add_selection(CLI::App* command, MatrixCommand& options) {
  add_engine_options(command, options.engine);
  add_world_options(command, options.engine);
  CLI::Option* tier = command->add_option(
      "--tier", options.tier, "smoke, default, full or versions; without it default, and full with --only or --changed");
  tier->check(CLI::IsMember(tier_names()));
  command
      ->add_option("--covering", options.covering,
                   "Only rows that together hold every 2 or 3 levels of the space that go together")
      ->check(CLI::IsMember({2, 3}))
      ->excludes(tier);
  command->add_option("--only", options.only, "Only cases that match, * for anything: 'tp=2,*'; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--changed", options.changed, "Only what a change of this rule or path can affect; may be repeated")
      ->type_name("RULE|PATH")
      ->allow_extra_args(false);
  command->add_option("--shard", options.shard, "Only the i-th of n parts that take alike long: i/n");
  command
      ->add_option("--arithmetic", options.arithmetic,
                   "exact, plain or float32; without it exact, and float32 for a stack that casts")
      ->check(CLI::IsMember({"exact", "plain", "float32"}));
}

Result<fs::path> matrix_folder(const MatrixCommand& command) {
  if (!command.folder.empty()) return fs::path(command.folder);
  const auto rules = find_rules_folder(command.rules);
  if (!rules) return rules.error();
  return beside(*rules, "matrix");
}

Arithmetic arithmetic_of(const MatrixCommand& command) {
  for (Arithmetic arithmetic : {Arithmetic::plain, Arithmetic::float32})
    if (command.arithmetic == name_of(arithmetic)) return arithmetic;
  return Arithmetic::exact;
}

namespace {

// Whoever names cases means them among all.
Tier tier_of(const MatrixCommand& command) {
  if (const auto named = find_tier(command.tier)) return *named;
  return command.only.empty() && command.changed.empty() ? Tier::by_default : Tier::full;
}

// A path as the repository has it, from where it was written or from its root; a rule's id as it is.
Result<std::string> change_in(const fs::path& root, const std::string& written) {
  if (written.find('/') == std::string::npos && written.find('.') == std::string::npos) return written;
  std::error_code error;
  for (const fs::path& path : {fs::path(written), root / written}) {
    if (!fs::exists(path, error)) continue;
    const std::string below = fs::weakly_canonical(path, error).lexically_relative(fs::weakly_canonical(root, error)).string();
    if (!below.starts_with("..")) return below;
  }
  return Error{fmt::format("--changed {}: no such file in {}; expected a rule's id or a path there", written,
                           fs::weakly_canonical(root, error).string())};
}

EngineSources sources_of(const std::string& engine, const Knowledge& knowledge, const fs::path& folder) {
  std::error_code error;
  EngineSources sources{.own_space = fs::exists(folder / fmt::format("space-{}.toml", engine), error)};
  if (const EngineFile* file = find_engine(knowledge.engines, engine)) {
    sources.folders = file->sources;
    sources.transforms = file->transforms;
  }
  return sources;
}

Result<Plan> only_changed(Plan plan, const MatrixCommand& command, const Knowledge& knowledge, const fs::path& folder) {
  const auto rules_folder = find_rules_folder(command.rules);
  if (!rules_folder) return rules_folder.error();
  std::vector<std::string> changes;
  for (const std::string& written : command.changed) {
    auto change = change_in(beside(*rules_folder, ""), written);
    if (!change) return change.error();
    changes.push_back(std::move(change).value());
  }
  const auto table = load_changes(folder / "changed.toml");
  if (!table) return table.error();
  const EngineSources sources = sources_of(plan.engine, knowledge, folder);
  std::vector<Rule> rules = knowledge.rules;
  rules.insert(rules.end(), knowledge.retired.begin(), knowledge.retired.end());
  return affected_by(changes, std::move(plan), rules, *table, sources);
}

}  // namespace

Result<Planned> plan_of(const MatrixCommand& command, const Hello& hello) {
  const auto knowledge = load_knowledge(command.rules);
  if (!knowledge) return knowledge.error();
  const auto folder = matrix_folder(command);
  if (!folder) return folder.error();
  const auto space = load_space_of(hello.engine, *folder);
  if (!space) return space.error();
  const auto frameworks = load_frameworks(*folder / "frameworks");
  if (!frameworks) return frameworks.error();
  const auto shard = shard_asked(command.shard);
  if (!shard) return shard.error();
  const Tier tier = tier_of(command);
  Plan plan = command.covering > 0 ? make_covering_plan(*space, knowledge->rules, hello, command.covering)
                                   : make_plan(*space, *frameworks, knowledge->rules, hello, tier);
  if (command.covering > 0 && space->covering.parameters.empty())
    return Error{
        fmt::format("the space of the {} engine has no [covering]; src/plan/space.h says how it is written", hello.engine)};
  if (!command.tier.empty() && plan.cases.empty())
    return Error{fmt::format("the space of the {} engine lists no stacks for --tier {}", hello.engine, command.tier)};
  if (!command.changed.empty()) {
    auto affected = only_changed(std::move(plan), command, *knowledge, *folder);
    if (!affected) return affected.error();
    plan = std::move(affected).value();
  }
  if (!command.only.empty()) {
    const auto other = [&](const auto& one) { return !matches(command.only, one.subject); };
    std::erase_if(plan.cases, other);
    std::erase_if(plan.not_planned, other);
    if (plan.cases.empty() && command.changed.empty())
      return Error{fmt::format("no planned case matches --only '{}'; `ordercheck matrix plan` lists them",
                               join(command.only, "' or '"))};
  }
  if (!command.arithmetic.empty())
    for (PlannedCase& planned : plan.cases) planned.subject.settings.arithmetic = arithmetic_of(command);
  Planned planned{.rules = knowledge->rules,
                  .folder = *folder,
                  .plan = std::move(plan),
                  .whole = command.only.empty() && command.shard.empty() && command.changed.empty() && command.covering == 0 &&
                           is_whole(*space, tier)};
  if (!command.shard.empty()) {
    auto shards = shards_of_plan(planned, shard->count, ShardCount::asked);
    if (!shards) return shards.error();
    planned.plan = std::move(std::move(shards).value()[static_cast<std::size_t>(shard->index - 1)].plan);
  }
  if (command.covering > 0)
    planned.covering =
        covering_set_of(planned.plan, space->covering,
                        combinations_of(space->covering, knowledge->rules, hello, space->models.front()), command.covering);
  return planned;
}

Result<std::vector<PlannedShard>> shards_of_plan(const Planned& planned, int count, ShardCount counted) {
  const auto durations = load_durations(durations_path(planned.folder / "durations", planned.plan.engine));
  if (!durations) return durations.error();
  if (counted == ShardCount::needed) count = std::min(count, most_shards(planned.plan, planned.rules));
  return shards_of(planned.plan, planned.rules, *durations, count);
}

Result<std::vector<EngineSpec>> builds_of(const MatrixCommand& command) {
  const auto folder = matrix_folder(command);
  const auto known = load_engine_files(folder ? *folder / "engines" : fs::path());
  if (!known) return known.error();
  auto specs = engines_of(command.engine, *known);
  if (!specs) return specs;
  for (const EngineSpec& spec : *specs)
    if (std::ranges::count(*specs, spec.build, &EngineSpec::build) > 1)
      return Error{
          fmt::format("--python names {} twice, {} is one of them; name each version once", spec.build, spec.command[0])};
  return specs;
}

std::string heading(const EngineSpec& spec, std::size_t of) {
  return of > 1 ? fmt::format("{} in {}, {}\n", spec.name, spec.command[0], spec.build) : "";
}

std::string objects_text(const std::vector<std::string>& objects) {
  if (objects.size() == 1) return objects.front();
  std::vector<std::string> trimmed;
  for (const std::string& object : objects) trimmed.emplace_back(trim(object));
  return "[" + join(trimmed, ",\n") + "]\n";
}

}  // namespace ordercheck::cli
