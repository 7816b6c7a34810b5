// Names the passes over a captured graph, for compile's option `passes`, and runs them in order.
//
//   dead_code      removes unread values
//   common         merges equal computations (after common_subexpression_elimination)
//   partition      decides what forward saves for backward and what backward recomputes; without it, all that backward reads
//                  is saved
//   auto_buckets   assigns parameter gathers in the bucket "auto" to buckets, by estimated times of gathers and compute
//   bucket         merges the all-gathers, and the reduce-scatters, of each bucket into one collective
//   overlap        starts gathers early and waits for reduce-scatters late
//   reuse          writes results into memory of values that are no longer read; only on request
//
// Each pass documents its requirements in its own header. No order of the first six passes changes any bit of the results,
// because graph.saved is recomputed from what backward reads after all passes. A pass after `reuse` may change numbers. Three
// pairs have a cheaper order, and all orders that keep them cost the same:
//
//   auto_buckets before bucket   else all unassigned gathers are one bucket
//   bucket before overlap        else a bucket is waited for where it starts
//   partition before overlap     else backward's gathers start where they are first read
//
// If a parameter is read more than once, run common before bucket, else it is gathered once per read.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "native/graph/graph.h"

namespace ordercheck::ranks {

// Returns the passes that compile runs by default, in torchtitan's order. The last three are included only if the graph has
// gathers with bucket names.
std::vector<std::string> usual_passes(const Graph& graph);

std::vector<std::string> pass_names();

// Runs passes on a recorded graph. After each pass, appends its name to graph.passes and calls `behind_each`. Throws
// std::invalid_argument for an unknown pass.
void run_passes(Graph& graph, const std::vector<std::string>& names, const std::function<void()>& behind_each = [] {});

// A pass: places results in planned buffers. A buffer is reused for a later result of equal size after the last read of the
// earlier one (graph/lifetimes.h).
//
//   needs     all nodes in their final order, and graph.saved
//   provides  graph.buffers, where a replay writes
//   forbids   any later pass that moves a reader, or makes another node read a value: it may be overwritten by then. Nothing
//             checks this, and the numbers are silently wrong
//   phase     forward and backward separately: saved values have their own memory
//
// Results of collectives get no buffer, because they arrive after their node has run.

void reuse_buffers(Graph& graph);

// A pass: starts parameter gathers before compute that does not need them, and waits for each reduce-scatter after the next one
// has started. Both then overlap with compute.
//
//   needs     gathers of operands that exist early: parameter pieces. Run bucketing first, because a bucket is moved as a whole
//   provides  each gather starts just before the wait of the previous one; each reduce-scatter's wait follows the start of the
//             next one. One of each is in flight at a time
//   forbids   a later partition, which would rebuild backward and put each gather where it is first read
//   phase     forward and backward separately: no gather crosses the boundary
//
// All ranks have the same graph and move alike, so the order of their collectives stays equal.
//
// After manual_overlap_reordering of torch._inductor.fx_passes.overlap_manual_scheduling.

void overlap_collectives(Graph& graph);

}  // namespace ordercheck::ranks
