// Finds the all-gathers of parameters and the reduce-scatters of their gradients in one half of a graph. Tensor and expert
// parallel collectives, which move activations, do not count.
//
// As in torch._inductor.fx_passes.fsdp: an all-gather counts if a chain of one-operand operators leads from a parameter to it.
// A reduce-scatter counts if such a chain leads from its wait_tensor to a parameter's gradient. No other node may read a value
// inside the chain.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "native/graph/graph.h"

namespace ordercheck::ranks {

struct ShardingCollective {
  std::size_t start = 0, wait = 0;  // positions of the collective and of its wait_tensor in the node list
  std::size_t parameter = 0;        // index in graph.parameters: registration order
  std::string bucket;               // merged with others of this bucket; empty: not merged
  std::string group;
  at::ScalarType dtype = at::kDouble;
  // Reduce-scatter only: positions of the operators from its wait to the gradient, in order.
  std::vector<std::size_t> to_gradient;
};

inline constexpr const char* kGather = "_c10d_functional::all_gather_into_tensor";
inline constexpr const char* kReduceScatter = "_c10d_functional::reduce_scatter_tensor";
inline constexpr const char* kWait = "_c10d_functional::wait_tensor";

// Returns the all-gathers of parameters in `nodes` (graph.forward or graph.backward), sorted by start.
std::vector<ShardingCollective> parameter_gathers(const Graph& graph, const std::vector<Node>& nodes);

// Returns the reduce-scatters of parameter gradients in graph.backward. Each gets the bucket of its parameter's gather from
// `bucket_of_parameter`, by index in graph.parameters.
std::vector<ShardingCollective> gradient_scatters(const Graph& graph, const std::vector<std::string>& bucket_of_parameter);

// During its lifetime, operators of this thread build a full parameter from a rank's piece: a graph recorded meanwhile marks
// their nodes (Node::unshards). `policy` tells the partition whether the full parameter is saved for backward or gathered again
// there: in a graph, this is reshard_after_forward, after torchtitan's SimpleFSDP.
//
// `bucket` names the bucket in which a graph pass may merge the scope's gathers with others. The innermost scope applies.

class UnshardScope {
 public:
  explicit UnshardScope(CheckpointPolicy policy, std::string bucket = "");
  ~UnshardScope();
  UnshardScope(const UnshardScope&) = delete;

 private:
  const UnshardScope* outer_;

 public:
  const CheckpointPolicy policy;
  const std::string bucket;
};

// Returns the innermost scope; null if none.
const UnshardScope* unsharding_now();

}  // namespace ordercheck::ranks
