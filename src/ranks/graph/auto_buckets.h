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
#pragma once

#include <cstdint>

#include "ranks/graph/graph.h"

namespace ordercheck::ranks {

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
