// A pass: what a graph computes is written to memory of its own, which later values of the same size are given when nobody reads it any
// more (captured/buffer_plan.h).
//
//   needs     nodes in the order in which they are run, all of them, and what backward is handed
//   provides  graph.buffers, by which a replay writes
//   forbids   any pass behind it that moves a reader, or has another node read a value: the value may be written over by then. Nothing
//             checks that, and the numbers are silently wrong
//   phase     forward and backward apart: what is handed over has memory of its own
//
// What a collective makes is not placed, since it is still to come when its node has run.
#pragma once

#include "ranks/graph/graph.h"

namespace ordercheck::ranks {

void reuse_buffers(Graph& graph);

}  // namespace ordercheck::ranks
