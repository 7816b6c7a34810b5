// When a captured graph computes and sends, in the order in which it is run: the exposed part of communication, by a stated machine.
//
// Compute is one stream, and each process group another. Compute runs its nodes in their order. A collective starts when compute has
// come to its node and the stream of its group is done with what was sent before; a wait holds compute until it has ended. A message
// holds up who receives it until it is there. What an operator and a collective take is placing/cost's: the roofline with a launch
// floor, and rings by latency and bandwidth. Whole nanoseconds, so that sums are exact.
//
// Compute waits only while some stream sends, so that `exposed` is never more than `sending`; where each collective is waited for right
// behind its start, as in a graph that was just recorded, it is all of it. So no order of the same collectives exposes more than that.
//
// After the model of torch._inductor's overlap scheduling: a stream for each process group, in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "parity/graph_record.h"
#include "placing/cost/costs.h"

namespace ordercheck::captured {

using Nanoseconds = std::int64_t;

struct Timeline {
  Nanoseconds step = 0;       // until compute has come to the end
  Nanoseconds computing = 0;  // operators
  Nanoseconds sending = 0;    // collectives and messages received, summed
  Nanoseconds exposed = 0;    // compute waited: step = computing + exposed
  std::int64_t buckets = 0;   // collectives that carry the name of a bucket
  friend bool operator==(const Timeline&, const Timeline&) = default;
};

// The data sheet of one H100, with its NVLink for every group.
placing::Machine stated_machine();

// Of a step (lifetimes.h). Every group has the machine's first link. An error where the machine states no speed for a product.
Result<Timeline> timeline_of(const std::vector<GraphRecord>& graphs, const placing::Machine& machine);

// A captured graph behind each of its passes, in the order of a record: as it was recorded, then behind one pass, behind two ... What was
// captured next begins again without a pass.

using Stages = std::vector<GraphRecord>;  // of one capture; the last one is run

std::vector<Stages> captures_of(const std::vector<GraphRecord>& graphs);

// The place among `ran` of the pass of this name: its first time, or with ":2" behind the name its second. An error where it did not run.
Result<std::size_t> place_of_pass(const std::vector<std::string>& ran, const std::string& name);

}  // namespace ordercheck::captured
