#include "cli/shared/engine_choice.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/shared/numbers.h"
#include "stack/case.h"

namespace ordercheck::cli {
namespace {

Error runs_none(const std::string& what, const EngineFile& engine) {
  return Error{fmt::format("{}, and --engine {} runs none; leave one of the two out", what, engine.name)};
}

// An option that selects how or where ranks run.
struct RankOption {
  const char* option;
  const char* variable;
  const char* runs;  // "runs ranks in"
};
constexpr RankOption kWorld{.option = "--world", .variable = "ORDERCHECK_WORLD", .runs = "runs ranks in"};
constexpr RankOption kDevice{.option = "--device", .variable = "ORDERCHECK_DEVICE", .runs = "runs ranks on"};

// Passes --world or --device to the worker in an environment variable. Passes nothing if the option is not given: the worker
// then uses its default.
Status put(const RankOption& of, const std::string& said, const std::vector<std::string>& known, const EngineFile& engine,
           EngineSpec& spec) {
  if (said.empty()) return Done{};
  if (!contains(known, said))
    return Error{fmt::format("{}: expected {}, which the {} engine {}; got '{}'", of.option,
                             known.empty() ? "none" : join(known, " or "), engine.name, of.runs, said)};
  spec.environment.push_back(fmt::format("{}={}", of.variable, said));
  return Done{};
}

// The engine in --engine, or the one that the other options imply.
Result<EngineFile> engine_meant(const EngineChoice& choice, const std::vector<EngineFile>& known, const std::string& own_code) {
  const bool says_nothing = choice.engine.empty();
  if (says_nothing && (!choice.pythons.empty() || !own_code.empty())) return engine_in_interpreter(known);
  auto engine = engine_named(says_nothing ? Case{}.engine : choice.engine, known);
  if (!engine || !engine->interpreter.empty()) return engine;
  // An installation without LibTorch has no native worker, but may have a Python that can replace it.
  if (says_nothing && !engine->built_beside.empty() && !has_worker(*engine) && !environment_of("ORDERCHECK_PYTHON").empty()) {
    if (auto instead = engine_in_interpreter(known)) {
      fmt::print(stderr, "ordercheck: there is no {} engine here: running on the {} engine in {}\n", engine->name,
                 instead->name, environment_of("ORDERCHECK_PYTHON"));
      return instead;
    }
  }
  if (!choice.pythons.empty()) return runs_none("--python names an interpreter", *engine);
  if (!own_code.empty()) return runs_none(own_code + " names code in Python", *engine);
  return engine;
}

}  // namespace

void add_engine_options(CLI::App* command, EngineChoice& choice) {
  command->add_option("--engine", choice.engine,
                      fmt::format("{} (default), pytorch, or any engine with a file in matrix/engines", Case{}.engine));
  command
      ->add_option("--python", choice.pythons,
                   "A Python with torch >= 2.6 for --engine pytorch; repeat to compare several; default: ORDERCHECK_PYTHON")
      ->allow_extra_args(false);
}

void add_world_options(CLI::App* command, EngineChoice& choice) {
  command->add_option(
      "--world", choice.world,
      "How ranks run. native: threads (default), gloo or nccl processes. pytorch: gloo (default), staged (device "
      "tensors sent through the host) or nccl");
  command->add_option("--device", choice.device, "Device of the tensors: cpu (default) or cuda");
}

void add_timeout_option(CLI::App* command, EngineChoice& choice) {
  command->add_option("--timeout", choice.timeout, "Timeout of one run in seconds; default: that of the engine's file")
      ->check(above_zero());
}

Result<EngineFile> engine_named(const std::string& name, const std::vector<EngineFile>& known) {
  if (const EngineFile* engine = find_engine(known, name)) return *engine;
  const std::vector<std::string> names = names_of(known);
  const auto near = nearest(name, names);
  return Error{fmt::format("there is no engine '{}'; {}known: {}", name, near ? fmt::format("did you mean '{}'? ", *near) : "",
                           join(names, ", "))};
}

Result<EngineFile> engine_in_interpreter(const std::vector<EngineFile>& known) {
  const auto is_meant = [](const EngineFile& engine) { return !engine.interpreter.empty() && engine.project.empty(); };
  const auto found = std::ranges::find_if(known, is_meant);
  if (found != known.end()) return *found;
  return Error{fmt::format("no engine runs in an interpreter; known: {}", join(names_of(known), ", "))};
}

Result<std::vector<EngineSpec>> engines_of(const EngineChoice& choice, const std::vector<EngineFile>& known,
                                           const std::string& own_code) {
  const auto meant = engine_meant(choice, known, own_code);
  if (!meant) return meant.error();
  std::vector<std::string> pythons = choice.pythons;
  if (pythons.empty()) pythons.push_back("");
  std::vector<EngineSpec> specs;
  for (const std::string& python : pythons) {
    auto spec = engine_spec(*meant, python);
    if (!spec) return spec.error();
    specs.push_back(std::move(spec).value());
    if (const auto done = put(kWorld, choice.world, meant->worlds, *meant, specs.back()); !done) return done.error();
    if (const auto done = put(kDevice, choice.device, meant->devices, *meant, specs.back()); !done) return done.error();
  }
  // ORDERCHECK_WORKER may be any engine, so accept any name in its hello.
  if (choice.engine.empty() && !meant->built_beside.empty() && !named_worker().empty()) specs.front().name.clear();
  return specs;
}

double timeout_of(const EngineChoice& choice, const EngineSpec& spec) {
  return choice.timeout.value_or(static_cast<double>(spec.timeout.count()));
}

std::vector<std::string> names_of_builds(const std::vector<EngineSpec>& specs) {
  std::vector<std::string> names;
  for (const EngineSpec& spec : specs) {
    const bool alone = std::ranges::count(specs, spec.build, &EngineSpec::build) == 1;
    names.push_back(alone ? spec.build : fmt::format("{} ({})", spec.build, spec.command[0]));
  }
  return names;
}

namespace {

const std::vector<std::string> kKinds{"crash", "hang", "throw", "slow", "nonsense", "exit", "skip_collective", "wrong_shape"};

}  // namespace

Result<Fault> parse_fault(std::string_view text) {
  const auto parts = split(text, ':');
  if (parts.size() < 3 || parts.size() > 4)
    return Error{fmt::format("fault '{}' is not kind:rank:module[:phase|:sequence]", one_line(text))};
  if (!contains(kKinds, parts[0]))
    return Error{fmt::format("fault '{}' is none of {}", one_line(parts[0]), join(kKinds, ", "))};
  const auto rank = parse_integer(parts[1]);
  if (!rank || *rank < 0 || *rank > std::numeric_limits<int>::max())
    return Error{fmt::format("fault '{}': '{}' is no rank", one_line(text), one_line(parts[1]))};
  Fault fault{.kind = parts[0], .rank = static_cast<int>(*rank), .module = parts[2]};
  if (parts.size() == 3) return fault;
  if (const auto phase = find_named<Phase>(parts[3]))
    fault.phase = *phase;
  else if (const auto sequence = parse_integer(parts[3]); sequence && *sequence >= 0)
    fault.sequence = *sequence;
  else
    return Error{fmt::format("fault '{}': '{}' is neither a phase nor a sequence number", one_line(text), one_line(parts[3]))};
  return fault;
}

}  // namespace ordercheck::cli
