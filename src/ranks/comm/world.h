// A world of rank threads in one process: every mesh axis is a c10d process group whose backend is ours.
//
// Deadlock and mismatch are found exactly, with no clock: with every rank's state (running, blocked, done) under one
// mutex a deadlock is "none running, one blocked", looked for whenever a rank blocks or ends; a collective carries a
// signature (kind, reduction, dtype, shape) per group and sequence number, and ranks that disagree are found when the
// second of them arrives. Reductions add in rank order, whoever comes first. Send is a rendezvous, so that two ranks
// that both send first are caught.
#pragma once

#include <functional>
#include <optional>

#include "parity/record.h"
#include "protocol/flight.h"
#include "protocol/messages.h"
#include "ranks/module/rank.h"
#include "stack/mesh.h"

namespace ordercheck::ranks {

struct WorldOptions {
  FlightRecorder* flight = nullptr;  // may be null
  std::optional<Fault> fault;        // passed into the rank states; skip_collective and wrong_shape act in the world
};

// How the world ended. `failure` names the first cause: the rank that threw, the two ranks that disagreed and on what,
// or for a deadlock every rank's place. Ranks that were only unblocked by another's failure are not blamed.
struct WorldResult {
  Ending ending = Ending::completed;  // completed | failed | deadlocked | out_of_range
  std::optional<Failure> failure;
};

// Runs `body` once on each rank of `mesh`, each on a thread of its own with its RankState as this_rank(), torch threads
// set to one, and for every axis of the mesh of degree > 1 a registered process group of that axis' name ("tp",
// "dp_shard", ...) plus "world" over all ranks. Returns when all threads ended. An exception of type OutOfRange
// (ranks/arith/range.h) ends as out_of_range.
// Not re-entrant from inside a rank; several worlds may run one after another.
WorldResult run_thread_world(const Mesh& mesh, const WorldOptions& options,
                             const std::function<void(RankState&)>& body);

}  // namespace ordercheck::ranks
