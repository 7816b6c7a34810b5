// Sends the all-gathers of parameters and the reduce-scatters of their gradients per bucket, one collective each. A graph pass:
//
//   needs     gathers with bucket names (UnshardScope). Run merge_equal_nodes first, else each read of a parameter is sent
//   provides  one gather and one reduce-scatter per bucket, group and dtype, with copies in and out of their buffers
//   forbids   nothing: a graph without named gathers stays unchanged, and a second run finds nothing to merge
//   phase     forward and backward separately, so that no bucket has collectives of both. Run after the partition, a backward
//             bucket has the parameters that backward gathers; run before it, all that forward gathers, because the
//             partition then copies forward's merged gathers into backward
//
// A bucket's gather starts where its first gather was, its reduce-scatter where its last one was. Buckets pack in the order of
// parameter registration, as FSDP2 does. All-reduces stay per parameter, as in torchtitan's manual bucketing.
//
// After manual_overlap_bucketing of torch._inductor.fx_passes.overlap_manual_scheduling and merge_all_gather_bucket and
// merge_reduce_scatter_bucket of torch._inductor.fx_passes.bucketing.
#pragma once

#include <cstdint>

#include "native/graph/graph.h"

namespace ordercheck::ranks {

// True if any all-gather of a parameter has a bucket name, even if it is the only one with that name.
bool has_buckets(const Graph& graph);

void bucket_collectives(Graph& graph);

// A pass: assigns gathers to buckets greedily, so that each bucket's gather fits into the compute of the bucket before.
//
//   needs     gathers in the bucket kAutoBucket; the order in which forward reads them; graphs with equal sizes on all ranks,
//             except parameter pieces: if ranks compute on different token counts, their estimates may differ
//   provides  bucket names for the pass that merges
//   forbids   nothing
//   phase     before bucketing; backward gathers created by a partition, and reduce-scatters, follow their parameters
//
// The next gather joins the current bucket while two limits hold: the merged gather is estimated to take no longer than the
// compute that it overlaps with, that of the previous bucket, and its bytes stay within most_bytes. The first bucket has one
// parameter, because nothing is computed before it.
//
// After the greedy plan of SimpleFSDP (Zhang et al., arXiv:2411.00284), with a fixed machine model instead of measurements: all
// ranks with the same graph make the same buckets.

inline constexpr const char* kAutoBucket = "auto";

// The machine that times are estimated for. Times in microseconds, rates per microsecond. The defaults are an H100 in an NVLink
// node, by its data sheet.
struct BucketModel {
  double collective_latency = 20;
  double link_bytes = 450'000;
  double launch = 7;  // overhead of a compute operator
  double flops = 67'000'000;
  double memory_bytes = 3'350'000;
  std::int64_t most_bytes = std::int64_t{500} << 20;  // limit for the gathered parameters of one bucket
};

// Returns the estimated time of an operator's compute. Views, collectives, and operators on a parameter's piece before its
// gather count as 0: pieces may differ in length between ranks, and all ranks must choose the same buckets.
double compute_time(const Graph& graph, const Node& node, const BucketModel& model);

void choose_buckets_by(Graph& graph, const BucketModel& model);
inline void choose_buckets(Graph& graph) { choose_buckets_by(graph, {}); }

}  // namespace ordercheck::ranks
