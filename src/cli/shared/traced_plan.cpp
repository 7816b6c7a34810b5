#include "cli/shared/traced_plan.h"

#include <cstdlib>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/shared/engine_choice.h"
#ifdef ORDERCHECK_HIGHS
#include "cli/shared/traced_model.h"
#include "graph/machine_file.h"
#include "graph/sharded_step.h"
#include "report/text/sharded_modes.h"
#endif
#include "matrix/knowledge.h"
#include "stack/mesh.h"
#include "stack/notation.h"

namespace ordercheck::cli {

void add_plan_of_model_options(CLI::App& command, PlanOfModel& choice) {
  command.add_option("--model", choice.model, "llama (default) in the sizes given, or your pkg:factory; traced, not run");
  add_size_options(command, choice.job);
  command.add_option("--machine", choice.machine, "A TOML file with the speeds that costs are computed for; default: H100s");
  command.add_option("--memory", choice.memory,
                     "LOW:HIGH, the share of a parameter that a rank holds, on average; default: 0:1/ranks");
  command.add_option("--python", choice.python, "A Python with torch >= 2.6 that traces the model; default: ORDERCHECK_PYTHON");
}

bool asks_for_a_model(const PlanOfModel& choice) {
  return !(choice.job.sizes.empty() && choice.job.config.empty() && choice.model.empty() && choice.python.empty() &&
           choice.machine.empty() && choice.memory.empty());
}

bool has_modes(const Stack& stack) { return stack.items.size() == 1 && stack.items.front().name == "simple_fsdp"; }

#ifdef ORDERCHECK_HIGHS

namespace {

std::optional<double> share_in(const std::string& text) {
  char* end = nullptr;
  const double share = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != 0) return std::nullopt;
  return share;
}

// `holders`: the ranks that a parameter can be sharded over.
Result<placing::MemoryBound> bound_in(const std::string& text, int holders) {
  const std::size_t colon = text.find(':');
  const auto low = colon == std::string::npos ? std::optional(0.0) : share_in(text.substr(0, colon));
  const auto high = share_in(colon == std::string::npos ? text : text.substr(colon + 1));
  // Negated comparisons also reject NaN.
  if (!low || !high || !(0 <= *low) || !(*low <= *high) || !(*high <= 1))
    return Error{fmt::format("--memory {}: expected LOW:HIGH with 0 <= LOW <= HIGH <= 1, such as 0:0.25", one_line(text))};
  if (*high * holders < 1)
    return Error{
        fmt::format("--memory {}: {} ranks share a parameter, so the largest share is at least 1/{}; expected a higher HIGH",
                    one_line(text), holders, holders)};
  return placing::MemoryBound{.low = low, .high = high};
}

Result<placing::StatedPlacement> stated_by(const Stack& stack, const std::string& memory) {
  if (stack.items.size() != 1 || stack.items.front().name != "auto_parallel")
    return Error{
        fmt::format("a model is traced as for one device, so its plan is of auto_parallel alone; got '{}'", print(stack))};
  placing::StatedPlacement stated = placing::stated_placement(stack.items.front());
  if (memory.empty()) return stated;
  int holders = 1;
  for (const placing::MeshAxis& axis : stated.mesh)
    if (!stated.rules.replica_axes.contains(axis.name)) holders *= axis.size;
  const auto bound = bound_in(memory, holders);
  if (!bound) return bound.error();
  stated.rules.memory = *bound;
  return stated;
}

Result<placing::Machine> machine_for(const placing::DeviceMesh& mesh, const std::string& path) {
  if (path.empty()) return placing::h100(mesh);
  const auto text = read_file(path);
  if (!text) return text.error();
  return placing::read_machine(*text, path, mesh);
}

// Traces the model with the step's sequences, or with the part of one rank of `ranks`.
Result<placing::TracedModel> traced(const PlanOfModel& choice, int ranks, Sizes& sizes);

Result<EngineSpec> tracing_engine(const std::string& python) {
  const auto known = known_engines("");
  if (!known) return known.error();
  const auto file = engine_in_interpreter(*known);
  if (!file) return file.error();
  return engine_spec(*file, python);
}

Result<placing::TracedModel> traced(const PlanOfModel& choice, int ranks, Sizes& sizes) {
  const auto job = job_of(choice.job);
  if (!job) return job.error();
  const std::string model = choice.model.empty() ? "llama" : choice.model;
  const auto known = sizes_to_trace(model, job->sizes, !choice.job.config.empty());
  if (!known) return known.error();
  sizes = *known;
  if (sizes.at("sequences") % ranks != 0)
    return Error{fmt::format("{} sequences do not divide by {} ranks; give a multiple with --set sequences=N",
                             sizes.at("sequences"), ranks)};
  sizes["sequences"] /= ranks;
  const auto engine = tracing_engine(choice.python);
  if (!engine) return engine.error();
  return traced_model({.model = model, .sizes = sizes}, *engine);
}

}  // namespace

Result<PlanRecord> plan_of_model(const Stack& stack, const PlanOfModel& choice) {
  const auto stated = stated_by(stack, choice.memory);
  if (!stated) return stated.error();
  const auto machine = machine_for(stated->mesh, choice.machine);
  if (!machine) return machine.error();
  Sizes sizes;
  const auto model = traced(choice, 1, sizes);
  if (!model) return model.error();
  return placing::plan_of(*model, *stated, *machine);
}

Result<std::string> modes_of_model(const Stack& stack, const PlanOfModel& choice) {
  const Item& item = stack.items.front();
  if (!item.options.empty() || !choice.memory.empty())
    return Error{fmt::format("all modes of {} are compared; leave out {}", item.name,
                             choice.memory.empty() ? "its options" : "--memory")};
  const int ranks = world_size(mesh_of(stack));
  const placing::DeviceMesh mesh{{.name = "dp_shard", .size = ranks}};
  const auto machine = machine_for(mesh, choice.machine);
  if (!machine) return machine.error();
  Sizes sizes;
  const auto model = traced(choice, ranks, sizes);
  if (!model) return model.error();
  const auto costs = captured::costs_of_modes(model->graph, model->parameters, ranks, *machine);
  if (!costs) return costs.error();
  return render_sharded_modes(*costs, print(stack), machine->name, sizes.at("sequences") * sizes.at("sequence_length"));
}

#else

namespace {
const Error kNotBuilt{"this build has no HiGHS, which solves for placements; scripts/ordercheck builds with it"};
}

Result<PlanRecord> plan_of_model(const Stack&, const PlanOfModel&) { return kNotBuilt; }
Result<std::string> modes_of_model(const Stack&, const PlanOfModel&) { return kNotBuilt; }

#endif

}  // namespace ordercheck::cli
