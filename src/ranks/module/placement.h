// Where a tensor's pieces lie: per mesh axis, in the order in which the axes were applied. Two axes that shard the same
// dim make a strided shard: the later axis splits what the earlier one left, whatever the mesh's order.
//
// Values; any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "stack/mesh.h"

namespace ordercheck::ranks {

// shard      rank i of the axis holds the i-th chunk along `dim`
// partial    every rank of the axis holds a summand
// replicate  every rank of the axis holds the same, and somebody keeps it so
struct Placement {
  enum class Kind { shard, partial, replicate };
  std::string axis;  // as stack/mesh.h names axes: one of the mesh, several as one, ep or edp
  Kind kind = Kind::shard;
  int64_t dim = 0;
  friend auto operator<=>(const Placement&, const Placement&) = default;
};
using Placements = std::vector<Placement>;  // axes not named: replicated, as nobody's concern

// Whether one of them is over `axis`, or over several as one of which `axis` is a part.
bool is_placed_over(const Placements& placements, const std::string& axis);

// The piece of a dim of `size` that chunk `index` of `count` holds, as torch.chunk cuts: all but the last pieces are
// ceil(size / count) long, the last ones may be short or empty.
struct Span {
  int64_t start = 0;
  int64_t length = 0;
};
Span chunk_of(int64_t size, int count, int index);

// The local piece of a full tensor on the rank with these coordinates (in the order of kMeshAxes). Of no partial placement.
at::Tensor local_piece(const at::Tensor& full, const Placements& placements, const Mesh& mesh, int rank);

// Puts a full tensor together from the pieces that `holders` have, lowest rank first; partial axes are summed. `piece(rank)` is
// asked only for ranks that hold what is needed: the lowest coordinate on axes that the placements do not name.
at::Tensor assemble(const Placements& placements, const Mesh& mesh, const std::vector<int>& holders,
                    const std::function<at::Tensor(int)>& piece);

std::string print(const Placements& placements);  // "tp: shard(0), dp_shard: shard(0)"; "replicated" for none

}  // namespace ordercheck::ranks
