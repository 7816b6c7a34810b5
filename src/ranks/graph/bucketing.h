// A pass: what makes parameters whole and takes their gradients back is sent bucket by bucket, in one collective each.
//
//   needs     gathers that carry the name of a bucket (UnshardScope); reads of one parameter that are one gather (merge_equal_nodes),
//             else a bucket holds its pieces as often as it is read
//   provides  a gather and a reduce-scatter per bucket, group and dtype, with copies in and out of their buffers
//   forbids   nothing: a graph without named gathers stays as it is, and a second time there is nothing left to merge
//   phase     forward and backward apart, so that no bucket holds both. Behind the partition a bucket of backward has what backward
//             reads; before it, all that forward's has, since the partition gathers that again
//
// A gather is sent where its bucket's first one was, a reduce-scatter where its last one was. Packed in the order in which parameters
// are registered, as FSDP2 packs. All-reduces stay one a parameter, as in torchtitan's manual bucketing.
//
// After manual_overlap_bucketing of torch._inductor.fx_passes.overlap_manual_scheduling and merge_all_gather_bucket and
// merge_reduce_scatter_bucket of torch._inductor.fx_passes.bucketing.
#pragma once

#include "ranks/graph/graph.h"

namespace ordercheck::ranks {

// Whether any gather has a name, alone in its bucket or not.
bool has_buckets(const Graph& graph);

void bucket_collectives(Graph& graph);

}  // namespace ordercheck::ranks
