// Parameters that are made whole where a module reads them: the parametrization of torchtitan's SimpleFSDP (data_parallel in
// experiments/simple_fsdp). Nothing hangs on a module's call; each read of a parameter sends for it, and autograd sends its
// gradient back.
//
//   over `shards`     a read is an all-gather of the pieces, its gradient is reduce-scattered to them
//   over `replicas`   a read is the parameter itself, its gradient is all-reduced
//   over both         all-gather; reduce-scatter, then all-reduce of the piece
//
// All of it is functional collectives and other operators, so a graph that is captured around a read has them: in forward
// [aten::constant_pad_nd], _c10d_functional::all_gather_into_tensor, _c10d_functional::wait_tensor, [aten::slice], marked by an
// UnshardScope; in backward [aten::slice_backward], _c10d_functional::reduce_scatter_tensor, wait_tensor, [aten::slice], and over
// replicas _c10d_functional::all_reduce, wait_tensor. What stands in brackets is there where a dim is not divided evenly,
// and then on every rank, so that all capture alike. A whole parameter is freed when nobody reads it any more: without a graph,
// whose partition makes it again, that is behind its use in backward.
//
// With a compute dtype a read casts the piece before the gather, so that what is sent has that dtype, and a gradient is cast back
// before it is reduced, in the dtype that the parameter is kept in: param_dtype and reduce_dtype of a MixedPrecisionPolicy. Over one
// rank it is cast all the same. Inputs of modules are not cast, which FSDP2's hooks do.
//
// Gradients are summed. A parameter that several modules share stays one, which SimpleFSDP's own function parts, and what is frozen
// stays frozen; its reads have no way back. What has no element is left as it is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ranks/graph/graph.h"
#include "ranks/mechanism/bucket_plan.h"
#include "ranks/module/module.h"
#include "stack/mesh.h"
#include "stack/stack.h"

namespace ordercheck::ranks {

struct ParametrizationOptions {
  std::string shards;    // the axis over which a parameter is cut, along its first dim; "" for none
  std::string replicas;  // the axis whose ranks hold the same; "" for none
  Mesh mesh;
  int rank = 0;
  CheckpointPolicy policy = CheckpointPolicy::must_recompute;  // of what is gathered, in a graph
  BucketPlan buckets;                                          // of gathers, in a graph
  std::optional<at::ScalarType> compute_dtype = {};            // of what is read; as it is kept where there is none
};

// Every parameter of the model, each cut further where other axes cut it before. Experts that are distributed, as placements say,
// are cut over edp, the ranks that hold the same ones, by their hidden dim where these are more than the experts of a rank. Throws
// for a scalar, and for a parameter that is placed over the axis already.
void parametrize(const ModulePtr& model, const ParametrizationOptions& options);

// The same of each part of a model as the item's options say. `reshard`: always, never, or default, which is always unless the mesh has
// stages. `bucket` names buckets for passes over a graph; without a graph it does nothing. `mp`: bf16 or fp16.
void parametrize_as_item_says(const std::vector<ModulePtr>& parts, const Item& item, ParametrizationOptions options);

}  // namespace ordercheck::ranks
