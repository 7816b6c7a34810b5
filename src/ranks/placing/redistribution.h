// Brings a rank's piece of a tensor from one placement on a mesh to another, by functional collectives.
//
// Pieces are those of torch.chunk, and where two axes shard one dim, the one that stands first in the mesh splits it first
// (placing/graph/placement.h). The steps are those that the plan was priced by: one collective of all ranks where there is a flat_move,
// else a route axis by axis. What a collective wants of equal length
// is padded at its end, on every rank alike, so that all capture the same operators.
// Source of the steps: PyTorch's DTensor, redistribute_local_tensor.
//
// Thread bound: of the rank that the calling thread runs. Axes are named as stack/mesh.h names them.
#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "placing/graph/placement.h"
#include "ranks/graph/graph.h"

namespace ordercheck::ranks {

// How long each dim of this rank's piece is.
placing::Shape piece_sizes(const placing::Shape& whole, const placing::Placements& placements, const placing::DeviceMesh& mesh);

// `piece` is this rank's piece of a tensor of the shape `whole`, where `from` says. Contiguous, or `piece` itself where nothing moves.
// Throws where no route leads there, as to a partial sum.
at::Tensor redistribute(const at::Tensor& piece, const placing::Shape& whole, const placing::Placements& from,
                        const placing::Placements& to, const placing::DeviceMesh& mesh);

// One operator of a traced graph, run on a rank's pieces of its operands.

// `operands` in the order in which the node's arguments name them. `results`: the sizes of this rank's pieces, which also replace the
// sizes that the operator is told. Throws where a result has others, by the operator's name. A result that a list holds is one as any
// other.
std::vector<at::Tensor> run_on_pieces(const Node& node, const std::vector<at::Tensor>& operands,
                                      const std::vector<placing::Shape>& results);

}  // namespace ordercheck::ranks
