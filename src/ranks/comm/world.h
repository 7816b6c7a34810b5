// A world of rank threads in one process: every mesh axis is a c10d process group whose backend is ours.
//
// Deadlock and mismatch are found exactly, with no clock: with every rank's state (running, blocked, done) under one
// mutex the world is at rest when none is running, looked for whenever a rank blocks or ends. Ranks that disagree on a
// collective (kind, reduction, dtype, shape) of one group and sequence number wait for each other, so they are at rest
// too. A rank that threw does not stop the others before they are at rest: what is reported is the same on every run.
// Reductions add in rank order, whoever comes first. Send is a rendezvous, so that two ranks that both send first are
// caught. Sequence numbers count a group's collectives from 0.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <c10/util/intrusive_ptr.h>

#include "parity/record.h"
#include "protocol/flight.h"
#include "protocol/messages.h"
#include "ranks/module/rank.h"
#include "stack/mesh.h"

namespace c10d {
class Store;
}

namespace ordercheck::ranks {

class ProcessBackend;
class Waiting;
struct RankGroup;

// Makes the backend of `rank` in one of its groups, whose ranks meet by `store`, which is the group's own. Returns when all are here.
// What is handed in outlives the backend.
using MakeBackend = std::function<c10::intrusive_ptr<ProcessBackend>(
    const RankGroup& group, const c10::intrusive_ptr<c10d::Store>& store, RankState& rank, Waiting& waiting)>;

struct WorldOptions {
  FlightRecorder* flight = nullptr;  // may be null
  std::vector<at::Device> devices;   // of each rank's tensors; empty: the CPU
  std::optional<Fault> fault;        // passed into the rank states; skip_collective and wrong_shape act in the world
  MakeBackend make_backend;          // of ranks that are processes; where there is none, Gloo's
};

inline at::Device device_of_rank(const WorldOptions& options, int rank) {
  return options.devices.empty() ? at::Device(at::kCPU) : options.devices.at(static_cast<std::size_t>(rank));
}

// How the world ended. `failure` names the first cause: the rank that threw (of several the one in the earliest step,
// then the lowest), the two ranks that disagreed and on what, or for a deadlock every rank's place; its own place is the
// lowest of these ranks'. Ranks that were only unblocked by another's failure are not blamed.
struct WorldResult {
  Ending ending = Ending::completed;  // completed | failed | deadlocked | out_of_range | unsupported
  std::optional<Failure> failure;
};

// Runs `body` once on each rank of `mesh`, each on a thread of its own with its RankState as this_rank(), torch threads
// set to one, and for every axis of the mesh of degree > 1 a registered process group of that axis' name ("tp",
// "dp_shard", ...) plus "world" over all ranks. Returns when all threads ended. An exception of type OutOfRange
// (ranks/arith/range.h) ends as out_of_range, one of type Unsupported (ranks/arith/exactness.h) as unsupported.
// Not re-entrant from inside a rank; several worlds may run one after another.
WorldResult run_thread_world(const Mesh& mesh, const WorldOptions& options, const std::function<void(RankState&)>& body);

}  // namespace ordercheck::ranks
