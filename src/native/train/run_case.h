// Runs a case on all its ranks and returns the record.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <c10/core/Device.h>

#include "base/enum.h"
#include "native/world/world.h"
#include "record/flight.h"
#include "record/messages.h"
#include "record/record.h"

namespace ordercheck::ranks {

inline constexpr int kMaxRanks = 8;

// How ranks run: as threads of this process, or as processes that communicate over Gloo, or over NCCL with one GPU each.
ORDERCHECK_ENUM(WorldKind, threads, gloo, nccl)

// The device of all tensors. On cuda, ranks as threads share the first GPU; ranks over NCCL have one GPU each.
ORDERCHECK_ENUM(DeviceKind, cpu, cuda)

struct RankSetup {
  WorldKind world = WorldKind::threads;
  DeviceKind device = DeviceKind::cpu;
  at::Device cpu = at::kCPU;  // the CPU device; a test can replace it by a fake accelerator backed by CPU kernels
};

// Returns the versions to put into records and hellos: LibTorch's, the communication library's unless ranks are threads, and
// GPU versions on cuda.
std::vector<std::string> versions_in(const RankSetup& setup);

// Returns the device name for records.
std::string device_in(const RankSetup& setup);

// Runs the case. Never throws: the record describes any failure. The caller owns `run.flight_file`; `flight` may be null. Rank
// 0 calls `on_step` before each step, on its thread. Ranks as processes need a single-threaded caller
// (native/world/process_world.h).
Record run_case_in(const RankSetup& setup, const Run& run, FlightRecorder* flight,
                   const std::function<void(int step)>& on_step);

// Runs ranks as processes, like run_process_world.
using ProcessWorld =
    std::function<WorldResult(const Mesh& mesh, const WorldOptions& options, const std::function<std::string(RankState&)>& body,
                              std::vector<std::string>& answers)>;

// Like run_case_in with gloo, but on ranks that `run_world` runs, `most_ranks` at most. If its result is `completed`,
// `run_world` must have filled in every rank's answer.
Record run_case_on(const ProcessWorld& run_world, int most_ranks, const Run& run);

// run_case_in with ranks as threads, on the CPU.
Record run_case(const Run& run, FlightRecorder* flight, const std::function<void(int step)>& on_step);

}  // namespace ordercheck::ranks
