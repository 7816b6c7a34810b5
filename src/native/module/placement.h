// Describes the placement of a tensor's pieces per mesh axis, in the order in which the axes were applied. Two axes that shard
// the same dim make a strided shard: the later axis splits the pieces of the earlier one, whatever the mesh's order.
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

// - shard: rank i of the axis has the i-th chunk along `dim`
// - partial: every rank of the axis has a summand of the tensor
// - replicate: every rank of the axis has the same values, and a transform keeps them equal
struct Placement {
  enum class Kind { shard, partial, replicate };
  std::string axis;  // a name of stack/mesh.h: a mesh axis, joined axes, ep or edp
  Kind kind = Kind::shard;
  int64_t dim = 0;
  friend auto operator<=>(const Placement&, const Placement&) = default;
};
using Placements = std::vector<Placement>;  // an axis that is not listed: equal values that no transform keeps equal

// True if a placement is over `axis`, or over joined axes that include it.
bool is_placed_over(const Placements& placements, const std::string& axis);

// A range of indices along a dim. chunk_of() returns that of chunk `index` when a dim of `size` is split into `count` chunks.
// Chunks have ceil(size / count) elements, as torch.chunk cuts them. The last ones may be shorter, or empty where torch.chunk
// returns fewer chunks.
struct Span {
  int64_t start = 0;
  int64_t length = 0;
};
Span chunk_of(int64_t size, int count, int index);

// Returns the rank's piece of a full tensor. `placements` must not contain a partial one.
at::Tensor local_piece(const at::Tensor& full, const Placements& placements, const Mesh& mesh, int rank);

// Assembles a full tensor from the pieces of the ranks `holders`; partial axes are summed. Calls `piece(rank)` only for the
// ranks that it needs: on a replicated or unlisted axis, only for the first one.
at::Tensor assemble(const Placements& placements, const Mesh& mesh, const std::vector<int>& holders,
                    const std::function<at::Tensor(int)>& piece);

std::string print(const Placements& placements);  // "tp: shard(0), dp_shard: shard(0)"; "replicated" if empty

}  // namespace ordercheck::ranks
