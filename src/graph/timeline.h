// Simulates when a captured graph computes and communicates, for the exposed part of communication on a stated machine.
//
// - Compute is one stream and runs nodes in order. Each process group is another stream.
// - A collective starts once compute reaches its node and its group's stream is idle. A wait blocks compute until it has ended;
//   receiving a message blocks until it has arrived.
// - Costs are those of graph/costs.h: roofline with a launch floor, rings by latency and bandwidth. Whole nanoseconds, so that
//   sums are exact.
//
// Compute only waits while a stream sends, so `exposed` never exceeds `sending`. If every wait follows its start directly, as
// in a newly recorded graph, they are equal; no other order of the same collectives exposes more.
//
// Follows torch._inductor's overlap scheduling: one stream per process group, in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "graph/costs.h"
#include "record/graph_record.h"

namespace ordercheck::captured {

using Nanoseconds = std::int64_t;

struct Timeline {
  Nanoseconds step = 0;       // end of compute
  Nanoseconds computing = 0;  // time of operators
  Nanoseconds sending = 0;    // time of collectives and received messages, added up
  Nanoseconds exposed = 0;    // time that compute waited: step = computing + exposed
  std::int64_t buckets = 0;   // collectives with a bucket name
  friend bool operator==(const Timeline&, const Timeline&) = default;
};

// An H100 by data sheet, with NVLink for every process group.
placing::Machine stated_machine();

// Simulates one step (lifetimes.h) of these graphs. Every group uses the machine's first link. An error if the machine has no
// flops_per_us for a product's element size.
Result<Timeline> timeline_of(const std::vector<GraphRecord>& graphs, const placing::Machine& machine);

using Stages = std::vector<GraphRecord>;  // one captured graph: as recorded, then after each pass; the last one runs

// Groups the graphs of a record (Keep::passes) by capture. A graph with empty `passes` begins a new capture.
std::vector<Stages> captures_of(const std::vector<GraphRecord>& graphs);

// The index of a pass in `ran`, the list of passes that ran. `name` may have a suffix: "bucket:2" is the second run of the
// pass. An error if it did not run.
Result<std::size_t> place_of_pass(const std::vector<std::string>& ran, const std::string& name);

}  // namespace ordercheck::captured
