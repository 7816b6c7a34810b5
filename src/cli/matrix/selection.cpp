#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/matrix/matrix.h"
#include "matrix/knowledge.h"
#include "matrix/shards.h"
#include "record/evidence_merge.h"
#include "report/text/summary.h"

namespace ordercheck::cli {
namespace {

namespace fs = std::filesystem;

Result<Shard> shard_asked(const std::string& text) {
  if (text.empty()) return Shard{};
  if (const auto shard = parse_shard(text)) return *shard;
  return Error{fmt::format("--shard '{}' is not i/n with 1 <= i <= n", text)};
}

// Matches a case's full text, or its text without the engine, which --engine already selects.
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
  command->add_option("--matrix", options.folder, "The folder with space.toml, space-<engine>.toml, frameworks/ and evidence/");
}

void add_selection(CLI::App* command, MatrixCommand& options) {
  add_engine_options(command, options.engine);
  add_world_options(command, options.engine);
  CLI::Option* tier =
      command->add_option("--tier", options.tier,
                          "smoke: whether the engine works, 30 s; default: each rule's witness and a covering set, minutes; "
                          "full: every case; versions: "
                          "for builds that do not run the whole space. Without --tier: default, or full with --only");
  tier->check(CLI::IsMember(tier_names()));
  command->add_option("--only", options.only, "Run only matching cases, * matches anything: 'tp=2,*'; repeatable")
      ->allow_extra_args(false);
  command->add_option("--shard", options.shard, "Run only part i of n: i/n");
  command
      ->add_option("--arithmetic", options.arithmetic, "exact, plain or float32; default: exact, or float32 if the stack casts")
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

// --only selects from all cases unless a tier is given.
Tier tier_of(const MatrixCommand& command) {
  if (const auto named = find_tier(command.tier)) return *named;
  return command.only.empty() ? Tier::by_default : Tier::full;
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
  Plan plan = make_plan(*space, *frameworks, knowledge->rules, hello, tier);
  if (!command.tier.empty() && plan.cases.empty())
    return Error{fmt::format("the space of the {} engine lists no stacks for --tier {}", hello.engine, command.tier)};
  if (!command.only.empty()) {
    const auto other = [&](const auto& one) { return !matches(command.only, one.subject); };
    std::erase_if(plan.cases, other);
    std::erase_if(plan.not_planned, other);
    if (plan.cases.empty())
      return Error{fmt::format("no planned case matches --only '{}'; `ordercheck matrix list` lists them",
                               join(command.only, "' or '"))};
  }
  if (!command.arithmetic.empty())
    for (PlannedCase& planned : plan.cases) planned.subject.settings.arithmetic = arithmetic_of(command);
  Planned planned{.rules = knowledge->rules,
                  .folder = *folder,
                  .plan = std::move(plan),
                  .whole = command.only.empty() && command.shard.empty() && is_whole(*space, tier)};
  if (!command.shard.empty()) planned.plan = shard_of(planned.plan, planned.rules, *shard);
  return planned;
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
