#include "ranks/train/run_case.h"

#include <exception>

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <torch/version.h>

#include "base/text.h"
#include "ranks/arith/exactness.h"
#include "ranks/arith/install.h"
#include "ranks/arith/range.h"
#include "ranks/comm/process_world.h"
#include "ranks/comm/world.h"
#include "ranks/device/fake_device.h"
#include "ranks/model/models.h"
#include "ranks/module/checks.h"
#include "ranks/module/mutants.h"
#include "ranks/train/assemble_record.h"
#include "ranks/train/batch.h"
#include "ranks/train/rank_answer.h"
#include "ranks/train/rank_program.h"
#include "ranks/transform/transform.h"

namespace ordercheck::ranks {
namespace {

// How many a step is cut into: as many as it accumulates, where no item says otherwise.
int microbatches_of(const Case& subject) {
  int count = subject.settings.accumulation;
  for (const Item& item : subject.stack.items) count = count_option(item, "microbatches", count);
  return count;
}

// Why the case is not for this engine, or "".
std::string cannot_run(const Run& run, const Mesh& mesh) {
  const Case& c = run.subject;
  if (!contains(model_names(), c.model))
    return fmt::format("model '{}' is not built; expected one of {}", c.model, join(model_names(), ", "));
  if (!c.apply.empty()) return fmt::format("apply={} is a function of Python; this engine applies the stack itself", c.apply);
  if (const auto missing = unbuilt_parts(c.stack, built_transforms()); !missing.empty())
    return fmt::format("not built: {}", join(missing, ", "));
  const auto known = [&] {
    for (const Mutant& mutant : mutants()) {
      if (mutant.name == run.mutant) return true;
    }
    return run.mutant.empty();
  };
  if (!known()) return fmt::format("mutant '{}' is not known", run.mutant);
  if (world_size(mesh) > kMaxRanks) {
    return fmt::format("{} ranks asked for, at most {} can be run", world_size(mesh), kMaxRanks);
  }
  if (!all_have_work(mesh, microbatches_of(c))) {
    return fmt::format("{} data-parallel ranks times {} microbatches leave a rank without a sample", data_parallel_degree(mesh),
                       microbatches_of(c));
  }
  return "";
}

at::ScalarType dtype_of(Arithmetic arithmetic) { return arithmetic == Arithmetic::float32 ? at::kFloat : at::kDouble; }

std::vector<std::pair<std::string, at::Tensor>> model_as_built(const Case& subject) {
  std::vector<std::pair<std::string, at::Tensor>> parameters;
  const ModulePtr model =
      make_model(subject.model, {.dtype = dtype_of(subject.settings.arithmetic), .seed = subject.settings.seed, .mutant = ""});
  for (const NamedParameter& named : parameters_of(model)) {
    parameters.emplace_back(named.name, named.parameter->tensor);
  }
  return parameters;
}

at::Device device_of(DeviceKind kind) { return kind == DeviceKind::fake ? install_fake_device() : at::Device(at::kCPU); }

WorldResult run_threads(const Mesh& mesh, const WorldOptions& options, const RankProgram& program,
                        std::vector<RankResult>& results) {
  return run_thread_world(mesh, options, [&](RankState& rank) { results[rank.rank] = run_rank_program(program, rank); });
}

WorldResult run_processes(const Mesh& mesh, const WorldOptions& options, const RankProgram& program,
                          std::vector<RankResult>& results) {
  std::vector<std::string> answers;
  const auto body = [&](RankState& rank) {
    return encode(RankAnswer{.result = run_rank_program(program, rank), .range_used = range_used()});
  };
  const WorldResult world = run_process_world(mesh, options, body, answers);
  for (std::size_t rank = 0; rank < answers.size(); ++rank) {
    RankAnswer answer = decode_rank_answer(answers[rank]);
    results[rank] = std::move(answer.result);
    note_range_used(answer.range_used);
  }
  return world;
}

void end(Record& record, Ending ending, Phase phase, std::string message) {
  record.ending = ending;
  record.failure = Failure{.phase = phase, .message = std::move(message)};
}

}  // namespace

std::vector<std::string> versions_in(const RankSetup& setup) {
  std::vector<std::string> versions{fmt::format("libtorch {}", TORCH_VERSION)};
  if (setup.world != WorldKind::threads) versions.push_back(fmt::format("{} processes", name_of(setup.world)));
  if (setup.device != DeviceKind::cpu) versions.push_back(fmt::format("{} device", name_of(setup.device)));
  return versions;
}

std::string engine_name() { return checks_are_left_out() ? "unchecked" : "native"; }

Record run_case_in(const RankSetup& setup, const Run& run, FlightRecorder* flight,
                   const std::function<void(int step)>& on_step) {
  const Mesh mesh = mesh_of(run.subject.stack);
  Record record{.case_text = print(run.subject),
                .engine = engine_name(),
                .versions = versions_in(setup),
                .device = "cpu",
                .world_size = world_size(mesh),
                .parity_owed = run.subject.settings.arithmetic == Arithmetic::exact};
  if (const std::string why = cannot_run(run, mesh); !why.empty()) {
    end(record, Ending::unsupported, Phase::build, why);
    return record;
  }
  if (setup.world != WorldKind::threads && setup.device != DeviceKind::cpu) {
    end(record, Ending::unsupported, Phase::build,
        fmt::format("ranks in world {} run on the cpu alone, and device {} was asked for", name_of(setup.world),
                    name_of(setup.device)));
    return record;
  }
  install_exact_kernels();
  const Settings& settings = run.subject.settings;
  set_exact_grid(settings.arithmetic == Arithmetic::exact ? settings.grid : kNotExact);
  // Ranks that have other layers add nothing to it.
  reset_range(world_size(mesh) / degree_of(mesh, "pp") * microbatches_of(run.subject),
              run.keep == Keep::values ? PastRange::go_on : PastRange::stop);
  const RankProgram program{.subject = run.subject,
                            .dtype = dtype_of(run.subject.settings.arithmetic),
                            .mutant = run.mutant,
                            .trace = run.keep == Keep::values,
                            .graphs = run.keep == Keep::graphs,
                            .on_step = on_step};
  std::vector<RankResult> results(world_size(mesh));
  const WorldOptions options{.flight = flight, .device = device_of(setup.device), .fault = run.fault};
  WorldResult world;
  try {
    world = setup.world == WorldKind::gloo ? run_processes(mesh, options, program, results)
                                           : run_threads(mesh, options, program, results);
  } catch (const std::exception& error) {
    end(record, Ending::failed, Phase::build, error.what());
    return record;
  }
  record.range_used = range_used();
  record.ending = world.ending;
  record.failure = world.failure;
  if (world.ending != Ending::completed) return record;
  try {
    assemble_record(run, mesh, results, model_as_built(run.subject), record);
  } catch (const std::exception& error) {
    end(record, Ending::failed, Phase::observe, error.what());
  }
  return record;
}

Record run_case(const Run& run, FlightRecorder* flight, const std::function<void(int step)>& on_step) {
  return run_case_in({}, run, flight, on_step);
}

}  // namespace ordercheck::ranks
