// The passes over a captured graph by their names, in the order in which they are run: what compile's option `passes` says.
//
//   dead_code      nobody reads it: removed
//   common         computed twice from the same: computed once (after common_subexpression_elimination)
//   partition      what backward is handed, and what it computes again. Without it backward is handed all that it reads
//   auto_buckets   gathers that ask for it are put into buckets by how long they and compute take
//   bucket         the collectives of a bucket become one
//   overlap        gathers start early, reduce-scatters are waited for late
//   reuse          what is computed is written over what nobody reads any more; only where it is asked for
//
// What a pass needs of those before it stands in its own header. No order of the first six changes a bit, since what backward is handed
// is found in the end, by what it reads. A pass behind `reuse` may change numbers. Three pairs have an order that costs less, and in any
// other order that keeps these the costs are the same:
//
//   auto_buckets before bucket   else all that was left to a pass is one bucket
//   bucket before overlap        else a bucket is waited for where it starts
//   partition before overlap     else backward's gathers start where they are first read
//
// A fourth one counts where a parameter is read more than once: common before bucket, else it is sent as often.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ranks/graph/graph.h"

namespace ordercheck::ranks {

// The order in which torchtitan's come, which is compile's without a word on them: the last three where gathers name buckets.
std::vector<std::string> usual_passes(const Graph& graph);

std::vector<std::string> pass_names();

// From the graph as it was recorded; each is added to graph.passes, and `behind_each` is called. Throws std::invalid_argument where there
// is no such pass.
void run_passes(Graph& graph, const std::vector<std::string>& names, const std::function<void()>& behind_each = [] {});

// A pass: what a graph computes is written to memory of its own, which later values of the same size are given when nobody reads it any
// more (captured/lifetimes.h).
//
//   needs     nodes in the order in which they are run, all of them, and what backward is handed
//   provides  graph.buffers, by which a replay writes
//   forbids   any pass behind it that moves a reader, or has another node read a value: the value may be written over by then. Nothing
//             checks that, and the numbers are silently wrong
//   phase     forward and backward apart: what is handed over has memory of its own
//
// What a collective makes is not placed, since it is still to come when its node has run.

void reuse_buffers(Graph& graph);

// A pass: gathers of parameters start before the compute that does not need them, and reduce-scatters are waited for behind the start
// of the next, so that both can be on the way while a rank computes.
//
//   needs     gathers whose operands are there early: pieces of parameters. Buckets, if they are wanted, since one bucket is moved ahead
//   provides  each gather starts right before the wait of the gather before it; each reduce-scatter is waited for right behind the start
//             of the next one. One of each is on the way at a time
//   forbids   a partition behind it, which would make backward anew and put each gather where it is first read
//   phase     forward and backward apart: no gather is moved across the boundary
//
// All ranks move alike, since they hold the same graph: their collectives stay in one order.
//
// After manual_overlap_reordering of torch._inductor.fx_passes.overlap_manual_scheduling.

void overlap_collectives(Graph& graph);

}  // namespace ordercheck::ranks
