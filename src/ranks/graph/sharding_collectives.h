// The collectives of one half of a graph that make parameters whole and take their gradients back, told from all others: those of
// tensor and expert parallelism, which move activations, are none.
//
// After the tests of fsdp in torch._inductor.fx_passes.fsdp: a gather counts where a chain of operators with one operand leads from it
// back to a parameter, a reduce-scatter where one leads from its wait to a parameter's gradient. In both, no other node reads what is
// on the way.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ranks/graph/graph.h"

namespace ordercheck::ranks {

struct ShardingCollective {
  std::size_t start = 0, wait = 0;  // places of its nodes in the list
  std::size_t parameter = 0;        // place in graph.parameters: the order of registration
  std::string bucket;               // it is to be sent with the others of this name; "" by itself
  std::string group;
  at::ScalarType dtype = at::kDouble;
  std::vector<std::size_t> to_gradient;  // of a reduce-scatter: places of the nodes behind its wait, in order
};

inline constexpr const char* kGather = "_c10d_functional::all_gather_into_tensor";
inline constexpr const char* kReduceScatter = "_c10d_functional::reduce_scatter_tensor";
inline constexpr const char* kWait = "_c10d_functional::wait_tensor";

// `nodes` is graph.forward or graph.backward. In the order of their starts.
std::vector<ShardingCollective> parameter_gathers(const Graph& graph, const std::vector<Node>& nodes);

// Of the backward. A gradient's bucket is that of its parameter's gather, by place in graph.parameters.
std::vector<ShardingCollective> gradient_scatters(const Graph& graph, const std::vector<std::string>& bucket_of_parameter);

// The operators by which a rank makes the whole of a parameter out of the piece that it holds, told from all others: a graph that is
// recorded meanwhile has them marked (Node::unshards), with the tag by which its partition decides whether backward keeps the whole
// or makes it again. That is what resharding after forward is to a graph, after torchtitan's SimpleFSDP.
//
// A scope also names the bucket in which a pass may send its gathers with those of other parameters.
//
// Thread bound; the innermost scope counts.

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

// The innermost scope; null outside.
const UnshardScope* unsharding_now();

}  // namespace ordercheck::ranks
