// Moves a rank's piece of a tensor from one placement on a mesh to another, by functional collectives.
//
// Pieces are those of torch.chunk. If two axes shard one dim, the first axis of the mesh splits it first (graph/placement.h).
// The collectives are those that the planner's cost model assumed: one over all ranks if there is a flat_move, else one per
// axis along a route. Pieces of unequal length are padded at the end on every rank, so that all ranks capture the same
// operators. Source of the steps: PyTorch's DTensor, redistribute_local_tensor.
//
// Thread bound: uses the rank of the calling thread. Axes are named as in stack/mesh.h.
#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "graph/placement.h"
#include "native/graph/graph.h"

namespace ordercheck::ranks {

// Returns the sizes of this rank's piece of a tensor of shape `whole`.
placing::Shape piece_sizes(const placing::Shape& whole, const placing::Placements& placements, const placing::DeviceMesh& mesh);

// `piece` is this rank's piece of a tensor of shape `whole`, placed as `from`. Returns a contiguous tensor, or `piece` itself
// if nothing moves. Throws if there is no route, for example to a partial sum.
at::Tensor redistribute(const at::Tensor& piece, const placing::Shape& whole, const placing::Placements& from,
                        const placing::Placements& to, const placing::DeviceMesh& mesh);

// Runs one operator of a traced graph on a rank's pieces. `operands`: pieces of the node's tensor arguments, in order.
// `results`: the sizes of this rank's piece of each result, tensors of a list counted one by one; they replace size arguments
// such as view's. Throws with the operator's name if a result has another size.
std::vector<at::Tensor> run_on_pieces(const Node& node, const std::vector<at::Tensor>& operands,
                                      const std::vector<placing::Shape>& results);

}  // namespace ordercheck::ranks
