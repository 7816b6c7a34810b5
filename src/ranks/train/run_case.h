// Runs a case on its ranks and puts its record together.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/enum.h"
#include "parity/record.h"
#include "protocol/flight.h"
#include "protocol/messages.h"
#include "ranks/comm/world.h"

namespace ordercheck::ranks {

inline constexpr int kMaxRanks = 8;

// What ranks are: threads of this process, or a process each, which talk over Gloo, or over NCCL with a GPU each.
ORDERCHECK_ENUM(WorldKind, threads, gloo, nccl)

// Where their tensors are: on the CPU, on a device that is none (ranks/device/fake_device.h), or on a GPU: all on the first where they
// are threads, a GPU each over NCCL.
ORDERCHECK_ENUM(DeviceKind, cpu, fake, cuda)

struct RankSetup {
  WorldKind world = WorldKind::threads;
  DeviceKind device = DeviceKind::cpu;
};

// What a record and a hello say that they were made with: LibTorch's version, and the world and the device where they are not the
// usual ones. The fake device's kernels are the CPU's, and owe the same bits.
std::vector<std::string> versions_in(const RankSetup& setup);

// What a record says that its tensors were on: the fake device's are the CPU's.
std::string device_in(const RankSetup& setup);

// Never throws: whatever goes wrong is in the record. `run.flight_file` is the caller's matter; `flight` may be null.
// `on_step` is called before each step, from a rank's thread.
// A world of processes needs a caller with one thread (ranks/comm/process_world.h).
Record run_case_in(const RankSetup& setup, const Run& run, FlightRecorder* flight,
                   const std::function<void(int step)>& on_step);

// Runs a world of processes, as run_process_world does.
using ProcessWorld =
    std::function<WorldResult(const Mesh& mesh, const WorldOptions& options, const std::function<std::string(RankState&)>& body,
                              std::vector<std::string>& answers)>;

// As run_case_in of gloo, in a world of the caller's own with up to `most_ranks`. Where that completed, it gave every rank's answer.
Record run_case_on(const ProcessWorld& run_world, int most_ranks, const Run& run);

// On threads and the CPU.
Record run_case(const Run& run, FlightRecorder* flight, const std::function<void(int step)>& on_step);

}  // namespace ordercheck::ranks
