// Runs a world of rank threads in one process: every mesh axis is a c10d process group with our backend.
//
// It detects deadlocks and mismatches exactly, without a clock. One mutex guards the state of every rank (running, blocked,
// done). Whenever a rank blocks or ends, it checks whether any rank still runs. Ranks that disagree on a collective (kind,
// reduction, dtype, shape) of a group and sequence number wait for each other, so they are found too. A rank that threw does
// not stop the others before that, so every run reports the same. Reductions add in rank order, not arrival order. Send is a
// rendezvous, so that two ranks that both send first are detected. Sequence numbers count a group's collectives from 0.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <c10/util/intrusive_ptr.h>

#include "native/module/rank.h"
#include "record/flight.h"
#include "record/messages.h"
#include "record/record.h"
#include "stack/mesh.h"

namespace c10d {
class Store;
}

namespace ordercheck::ranks {

class ProcessBackend;
class Waiting;
struct RankGroup;

// Creates the backend of `rank` in one of its groups. The group's ranks connect through `store`, which no other group uses.
// Returns when all have connected. The arguments must outlive the backend.
using MakeBackend = std::function<c10::intrusive_ptr<ProcessBackend>(
    const RankGroup& group, const c10::intrusive_ptr<c10d::Store>& store, RankState& rank, Waiting& waiting)>;

struct WorldOptions {
  FlightRecorder* flight = nullptr;  // flight recorder file; may be null
  std::vector<at::Device> devices;   // by rank: device of its tensors; empty for the CPU
  std::optional<Fault> fault;        // error to inject, passed to each RankState
  MakeBackend make_backend;          // makes a backend in each rank process; empty: Gloo's
};

inline at::Device device_of_rank(const WorldOptions& options, int rank) {
  return options.devices.empty() ? at::Device(at::kCPU) : options.devices.at(static_cast<std::size_t>(rank));
}

// How the world ended. `failure` names the first cause. For an exception it is the rank that threw (earliest step, then lowest
// rank). For a mismatch it is the two ranks that disagreed, and on what. For a deadlock it is every rank's place. The failure's
// own place is that of the lowest rank named. Ranks that only wait for a failed rank are not blamed.
struct WorldResult {
  Ending ending = Ending::completed;  // completed | failed | deadlocked | out_of_range | unsupported
  std::optional<Failure> failure;
};

// Runs `body` once per rank of `mesh`, on separate threads with one torch thread each. Every rank has its RankState as
// this_rank() and registered process groups: one per axis of degree > 1, named like the axis ("tp", "dp_shard", ...), and
// "world". Returns when all threads ended. OutOfRange (native/arith/range.h) ends as out_of_range, Unsupported
// (native/arith/exactness.h) as unsupported. Not re-entrant from inside a rank; several worlds may run one after another.
WorldResult run_thread_world(const Mesh& mesh, const WorldOptions& options, const std::function<void(RankState&)>& body);

}  // namespace ordercheck::ranks
