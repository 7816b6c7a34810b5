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

#include <cstdint>

#include "ranks/graph/graph.h"

namespace ordercheck::ranks {

// Whether any gather has a name, alone in its bucket or not.
bool has_buckets(const Graph& graph);

void bucket_collectives(Graph& graph);

// A pass: gathers that leave it to a pass are put into buckets, one after another, as long as the compute of the bucket before lasts.
//
//   needs     gathers in the bucket kAutoBucket; the order in which forward reads them; graphs that have the same sizes on all ranks,
//             pieces of parameters excepted: where ranks compute on more tokens or fewer, their estimates may part
//   provides  names of buckets for them, for the pass that merges
//   forbids   nothing
//   phase     before bucketing; gathers of backward, where a partition has made these already, and reduce-scatters go with their
//             parameters
//
// The next gather joins a bucket while the bucket, sent as one, takes no longer than what is computed with the bucket before, and while
// it holds no more bytes than the bound. Nothing is computed before the first one, so that is of one parameter.
//
// After the greedy plan of SimpleFSDP (Zhang et al., arXiv:2411.00284), with a stated machine in place of measurements: all ranks that
// hold the same graph make the same buckets.

inline constexpr const char* kAutoBucket = "auto";

// Microseconds; bytes and floating-point operations a microsecond. Of an H100 in an NVLink node, by its data sheet.
struct BucketModel {
  double collective_latency = 20;
  double link_bytes = 450'000;
  double launch = 7;  // of an operator that computes
  double flops = 67'000'000;
  double memory_bytes = 3'350'000;
  std::int64_t most_bytes = std::int64_t{500} << 20;  // of a bucket, gathered
};

// How long an operator computes. Views, collectives and what makes a piece ready to be sent: not at all. A piece may be shorter on one
// rank than on another, which must not make them choose apart.
double compute_time(const Graph& graph, const Node& node, const BucketModel& model);

void choose_buckets_by(Graph& graph, const BucketModel& model);
inline void choose_buckets(Graph& graph) { choose_buckets_by(graph, {}); }

}  // namespace ordercheck::ranks
