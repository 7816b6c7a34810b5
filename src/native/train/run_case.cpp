#include "native/train/run_case.h"

#include <exception>
#include <stdexcept>

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <torch/version.h>

#include "base/text.h"
#include "native/arith/cuda/devices.h"
#include "native/arith/cuda/prepare_gpu.h"
#include "native/arith/exactness.h"
#include "native/arith/install.h"
#include "native/arith/range.h"
#include "native/module/models.h"
#include "native/train/assemble_record.h"
#include "native/train/batch.h"
#include "native/train/rank_answer.h"
#include "native/train/rank_program.h"
#include "native/transform/transform.h"
#include "native/world/nccl/nccl_world.h"
#include "native/world/nccl/one_gpu_each.h"
#include "native/world/process_world.h"
#include "native/world/world.h"
#include "stack/own_functions.h"

namespace ordercheck::ranks {
namespace {

// Returns the number of microbatches per step: the accumulation, unless a stack item sets another number.
int microbatches_of(const Case& subject) {
  int count = subject.settings.accumulation;
  for (const Item& item : subject.stack.items) count = count_option(item, "microbatches", count);
  return count;
}

// Returns why this engine cannot run the case; "" if it can.
std::string cannot_run(const Run& run, const Mesh& mesh, int most_ranks) {
  const Case& c = run.subject;
  if (!contains(model_names(), c.model))
    return fmt::format("model '{}' is not built; expected one of {}", c.model, join(model_names(), ", "));
  for (const auto& function : kOwnFunctions<Case>)
    if (const std::string& own = c.*function.member; !own.empty())
      return fmt::format("{}={} is a function of Python, which this engine does not run", function.key, own);
  if (const auto missing = unbuilt_parts(c.stack, built_transforms()); !missing.empty())
    return fmt::format("not built: {}", join(missing, ", "));
  if (world_size(mesh) > most_ranks) {
    return fmt::format("{} ranks asked for, at most {} can be run", world_size(mesh), most_ranks);
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
      make_model(subject.model, {.dtype = dtype_of(subject.settings.arithmetic), .seed = subject.settings.seed});
  for (const NamedParameter& named : parameters_of(model)) {
    parameters.emplace_back(named.name, named.parameter->tensor);
  }
  return parameters;
}

// Prepares the process's first GPU, which ranks as threads share, once per process. Returns why it cannot, or "".
const std::string& why_no_gpu_for_threads() {
  static const std::string why = prepare_gpu(/*gpu=*/0);
  return why;
}

// Returns in one line why this machine cannot run `ranks` ranks in this setup; "" if it can.
std::string why_not_here(const RankSetup& setup, int ranks) {
  if (setup.world == WorldKind::nccl) return why_no_nccl_here(ranks);
  if (setup.world == WorldKind::gloo && setup.device != DeviceKind::cpu)
    return fmt::format("ranks in world {} run on the cpu alone, and device {} was asked for", name_of(setup.world),
                       name_of(setup.device));
  return setup.device == DeviceKind::cuda ? why_no_gpu_for_threads() : "";
}

std::vector<at::Device> devices_of_ranks(const RankSetup& setup, int ranks) {
  std::vector<at::Device> devices;
  for (int rank = 0; rank < ranks; ++rank) {
    switch (setup.device) {
      case DeviceKind::cpu: devices.push_back(setup.cpu); break;
      case DeviceKind::cuda:
        devices.emplace_back(at::kCUDA, setup.world == WorldKind::nccl ? gpu_of_rank(rank, devices_here().gpus) : 0);
        break;
    }
  }
  return devices;
}

std::vector<WhereItRan> asked_of_ranks(const RankSetup& setup, const std::vector<at::Device>& devices) {
  std::vector<WhereItRan> asked;
  for (const at::Device& device : devices)
    asked.push_back(
        {.device = device.str(), .backend = devices.size() == 1 ? "" : fmt::format("ordercheck_{}", name_of(setup.world))});
  return asked;
}

WorldResult run_threads(const Mesh& mesh, const WorldOptions& options, const RankProgram& program,
                        std::vector<RankResult>& results) {
  return run_thread_world(mesh, options, [&](RankState& rank) { results[rank.rank] = run_rank_program(program, rank); });
}

// Called in a rank's process: prepares that rank's GPU. The parent must not: after a driver call, a process cannot fork ranks
// that use a GPU.
void prepare_gpu_of(const RankState& rank) {
  const std::string why = prepare_gpu(gpu_of_rank(rank.rank, devices_here().gpus));
  if (!why.empty()) throw std::runtime_error(why);
}

WorldResult run_processes(const ProcessWorld& run_world, const Mesh& mesh, const WorldOptions& options,
                          const RankProgram& program, std::vector<RankResult>& results) {
  std::vector<std::string> answers;
  const auto body = [&](RankState& rank) {
    // Only NCCL has a backend to make, and only it needs a GPU per process.
    if (options.make_backend) prepare_gpu_of(rank);
    return encode(RankAnswer{.result = run_rank_program(program, rank), .range_used = range_used()});
  };
  const WorldResult world = run_world(mesh, options, body, answers);
  for (std::size_t rank = 0; rank < answers.size(); ++rank) {
    RankAnswer answer = decode_rank_answer(answers[rank]);
    results[rank] = std::move(answer.result);
    // range_used() is per process: the record needs the largest of all rank processes.
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
  if (setup.device == DeviceKind::cuda)
    for (std::string& version : gpu_versions()) versions.push_back(std::move(version));
  return versions;
}

std::string device_in(const RankSetup& setup) { return setup.device == DeviceKind::cuda ? "cuda" : "cpu"; }

namespace {

// Runs the case and assembles its record. `run_world` runs ranks that are not threads.
Record run_on(const RankSetup& setup, const ProcessWorld& run_world, int most_ranks, const Run& run, FlightRecorder* flight,
              const std::function<void(int step)>& on_step) {
  const Mesh mesh = mesh_of(run.subject.stack);
  Record record{.case_text = print(run.subject),
                .engine = "native",
                .versions = versions_in(setup),
                .device = device_in(setup),
                .world_size = world_size(mesh),
                .parity_owed = run.subject.settings.arithmetic == Arithmetic::exact};
  if (const std::string why = cannot_run(run, mesh, most_ranks); !why.empty()) {
    end(record, Ending::unsupported, Phase::build, why);
    return record;
  }
  if (const std::string why = why_not_here(setup, world_size(mesh)); !why.empty()) {
    end(record, Ending::unsupported, Phase::build, why);
    return record;
  }
  install_exact_kernels();
  const Settings& settings = run.subject.settings;
  set_exact_grid(settings.arithmetic == Arithmetic::exact ? settings.grid : kNotExact);
  // Bound on how many partial results are added: ranks of other pipeline stages have other layers and add nothing to a sum.
  reset_range(world_size(mesh) / degree_of(mesh, "pp") * microbatches_of(run.subject),
              run.keep == Keep::values ? PastRange::go_on : PastRange::stop);
  const RankProgram program{.subject = run.subject,
                            .dtype = dtype_of(run.subject.settings.arithmetic),
                            .trace = run.keep == Keep::values,
                            .graphs = run.keep == Keep::graphs,
                            .passes = run.keep == Keep::passes,
                            .on_step = on_step};
  std::vector<RankResult> results(world_size(mesh));
  const WorldOptions options{.flight = flight,
                             .devices = devices_of_ranks(setup, world_size(mesh)),
                             .fault = run.fault,
                             .make_backend = setup.world == WorldKind::nccl ? MakeBackend(make_nccl_backend) : MakeBackend()};
  WorldResult world;
  try {
    world = setup.world == WorldKind::threads ? run_threads(mesh, options, program, results)
                                              : run_processes(run_world, mesh, options, program, results);
  } catch (const std::exception& error) {
    end(record, Ending::failed, Phase::build, error.what());
    return record;
  }
  record.range_used = range_used();
  record.ending = world.ending;
  record.failure = world.failure;
  if (world.ending != Ending::completed) return record;
  std::vector<WhereItRan> ran;
  for (const RankResult& result : results) ran.push_back(result.where);
  if (const std::string why = why_elsewhere(asked_of_ranks(setup, options.devices), ran); !why.empty()) {
    end(record, Ending::failed, Phase::observe, why);
    return record;
  }
  try {
    assemble_record(run, mesh, results, model_as_built(run.subject), record);
  } catch (const std::exception& error) {
    end(record, Ending::failed, Phase::observe, error.what());
  }
  return record;
}

}  // namespace

Record run_case_in(const RankSetup& setup, const Run& run, FlightRecorder* flight,
                   const std::function<void(int step)>& on_step) {
  return run_on(setup, run_process_world, kMaxRanks, run, flight, on_step);
}

Record run_case_on(const ProcessWorld& run_world, int most_ranks, const Run& run) {
  return run_on({.world = WorldKind::gloo}, run_world, most_ranks, run, nullptr, {});
}

Record run_case(const Run& run, FlightRecorder* flight, const std::function<void(int step)>& on_step) {
  return run_case_in({}, run, flight, on_step);
}

}  // namespace ordercheck::ranks
