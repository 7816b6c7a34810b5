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
#pragma once

#include "ranks/graph/graph.h"

namespace ordercheck::ranks {

void overlap_collectives(Graph& graph);

}  // namespace ordercheck::ranks
