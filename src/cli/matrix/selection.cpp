#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/matrix/matrix.h"
#include "cli/shared/knowledge.h"
#include "report/summary.h"

namespace ordercheck::cli {
namespace {

namespace fs = std::filesystem;

struct Shard {
  int index = 1;
  int count = 1;
};

Result<Shard> parse_shard(const std::string& text) {
  if (text.empty()) return Shard{};
  const auto parts = split(text, '/');
  const auto index = parse_integer(parts[0]), count = parts.size() == 2 ? parse_integer(parts[1]) : std::nullopt;
  if (!index || !count || *index < 1 || *count < *index || *count > 10'000)
    return Error{fmt::format("--shard '{}' is not i/n with 1 <= i <= n", text)};
  return Shard{.index = static_cast<int>(*index), .count = static_cast<int>(*count)};
}

// A case is meant by its whole text, or by what is left of it without its engine, which --engine has said.
bool matches(const std::string& pattern, Case c) {
  if (glob_match(pattern, print(c))) return true;
  c.engine = Case{}.engine;
  return glob_match(pattern, print(c));
}

}  // namespace

void add_folders(CLI::App* command, MatrixCommand& options) {
  command->add_option("--rules", options.rules, "The folder of rule pages");
  command->add_option("--matrix", options.folder,
                      "The folder of space.toml, space-<engine>.toml, frameworks/, discussions/ and evidence/");
}

void add_selection(CLI::App* command, MatrixCommand& options) {
  add_engine_options(command, options.engine);
  command->add_flag("--slow", options.slow, "Also the slow sets of the space");
  command->add_option("--tier", options.tier, "Only the stacks that the space lists as its smoke or its versions")
      ->check(CLI::IsMember({"smoke", "versions"}));
  command->add_option("--only", options.only, "Only cases that match, * for anything: 'tp=2,*'");
  command->add_option("--shard", options.shard, "Only every n-th case from the i-th on: i/n");
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

Tier tier_of(const MatrixCommand& command) {
  if (command.tier == "smoke") return Tier::smoke;
  if (command.tier == "versions") return Tier::versions;
  return command.slow ? Tier::slow : Tier::usual;
}

Result<Planned> plan_of(const MatrixCommand& command, const Hello& hello) {
  const auto knowledge = load_knowledge(command.rules);
  if (!knowledge) return knowledge.error();
  const auto folder = matrix_folder(command);
  if (!folder) return folder.error();
  const auto space = load_space_of(hello.engine, *folder);
  if (!space) return space.error();
  const auto frameworks = load_frameworks(*folder / "frameworks");
  if (!frameworks) return frameworks.error();
  const auto discussions = load_discussions(*folder / "discussions", knowledge->rules);
  if (!discussions) return discussions.error();
  const auto shard = parse_shard(command.shard);
  if (!shard) return shard.error();
  Plan plan = make_plan(*space, *frameworks, knowledge->rules, hello, *discussions, tier_of(command));
  if (!command.tier.empty() && plan.cases.empty())
    return Error{fmt::format("the space of the {} engine lists no stacks for --tier {}", hello.engine, command.tier)};
  if (!command.only.empty()) {
    const auto other = [&](const auto& one) { return !matches(command.only, one.subject); };
    std::erase_if(plan.cases, other);
    std::erase_if(plan.not_planned, other);
    if (plan.cases.empty())
      return Error{fmt::format("no planned case matches --only '{}'; `ordercheck matrix plan` lists them", command.only)};
  }
  if (!command.arithmetic.empty())
    for (PlannedCase& planned : plan.cases) planned.subject.settings.arithmetic = arithmetic_of(command);
  return Planned{.rules = knowledge->rules,
                 .folder = *folder,
                 .plan = shard_of(plan, shard->index, shard->count),
                 .whole = command.only.empty() && command.shard.empty() && command.tier.empty() &&
                          (command.slow || !has_slow_tier(*space))};
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
