// Gathers parameters where a module reads them, like the parametrization of torchtitan's SimpleFSDP (data_parallel in
// experiments/simple_fsdp). There are no hooks on the module's call: each read gathers, and autograd reduces the gradient.
//
//   over `shards`     a read all-gathers the pieces; its gradient is reduce-scattered
//   over `replicas`   a read is the parameter itself; its gradient is all-reduced
//   over both         all-gather; reduce-scatter, then all-reduce of the piece
//
// All steps are functional collectives and other operators, so a graph captured around a read contains them. In forward, marked
// by an UnshardScope: [aten::constant_pad_nd], _c10d_functional::all_gather_into_tensor, _c10d_functional::wait_tensor,
// [aten::slice]. In backward: [aten::slice_backward], _c10d_functional::reduce_scatter_tensor, wait_tensor, [aten::slice], and
// over replicas _c10d_functional::all_reduce, wait_tensor. Bracketed operators appear if a dim is not evenly divisible, and
// then on every rank, so that all capture alike. A gathered parameter is freed after its last read. Without a graph, that is
// its use in backward; a graph's partition can gather it again.
//
// With a compute dtype, a read casts the piece before the gather, so the sent data has that dtype. A gradient is cast back to
// the parameter's dtype before it is reduced: param_dtype and reduce_dtype of a MixedPrecisionPolicy. With one rank it casts
// too. Module inputs are not cast, unlike by FSDP2's hooks.
//
// Gradients are summed. A parameter shared by several modules stays shared, unlike in SimpleFSDP. Frozen parameters stay
// frozen, and their reads have no backward. Parameters without elements stay unchanged.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "native/graph/graph.h"
#include "native/module/module.h"
#include "native/transform/bucket_plan.h"
#include "stack/mesh.h"
#include "stack/stack.h"

namespace ordercheck::ranks {

struct ParametrizationOptions {
  std::string shards;    // the axis that shards a parameter along its first dim; empty if none
  std::string replicas;  // the axis of replicas; empty if none
  Mesh mesh;
  int rank = 0;
  // Whether the partition of a captured graph saves the full parameter for backward or gathers it again.
  CheckpointPolicy policy = CheckpointPolicy::must_recompute;
  BucketPlan buckets;                                // which all-gathers the graph pass `bucket` merges
  std::optional<at::ScalarType> compute_dtype = {};  // dtype of reads; nullopt for the parameter's own
};

// Parametrizes every parameter of the model. A parameter that another axis already shards is sharded further, piece by piece.
// Parameters placed over ep (experts) are sharded over edp, the ranks with the same experts: along the expert dim, or along the
// hidden dim if edp has more ranks than a rank has experts. Throws for a scalar, and for a parameter that is already placed
// over the axis.
void parametrize(const ModulePtr& model, const ParametrizationOptions& options);

// Parametrizes each part of a model by the options of its stack item:
// - `reshard`: whether backward gathers parameters again: always, never, or default, which means always unless the mesh has
//   pipeline stages
// - `bucket`: names the buckets for graph passes; has no effect without a graph
// - `mp`: the compute dtype, bf16 or fp16
void parametrize_as_item_says(const std::vector<ModulePtr>& parts, const Item& item, ParametrizationOptions options);

}  // namespace ordercheck::ranks
