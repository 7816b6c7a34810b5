// Defines placements of a tensor on a mesh: per mesh axis replicated, sharded along a dim, or partial sums, as in PyTorch's
// DTensor.
//
// Shards are those of torch.chunk: ceil(size / ranks) elements per rank, the last ranks fewer. If two axes shard one dim, the
// first axis of the mesh splits it first. Plain values.
#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace ordercheck::placing {

using Shape = std::vector<std::int64_t>;

// The placement of a tensor on one mesh axis.
struct Placement {
  enum class Kind { replicate, shard, partial };
  Kind kind = Kind::replicate;
  int dim = 0;  // of the tensor; 0 unless it is a shard
  friend auto operator<=>(const Placement&, const Placement&) = default;
};

inline Placement replicate() { return {}; }
inline Placement shard(int dim) { return {.kind = Placement::Kind::shard, .dim = dim}; }
inline Placement partial() { return {.kind = Placement::Kind::partial}; }

// One per mesh axis, in mesh order.
using Placements = std::vector<Placement>;

struct MeshAxis {
  std::string name;  // "dp_shard"
  int size = 1;
  friend bool operator==(const MeshAxis&, const MeshAxis&) = default;
};

using DeviceMesh = std::vector<MeshAxis>;
std::int64_t rank_count(const DeviceMesh& mesh);

// "R", "S(1)", "P"; for a whole mesh "S(0)R". Plans of equal cost are ordered by these names.
std::string name_of(const Placement& placement);
std::string name_of(const Placements& placements);

bool has_partial(const Placements& placements);

// All numbers of elements along `dim` that ranks hold, including 0 if a rank holds none.
std::set<std::int64_t> local_sizes(std::int64_t size, int dim, const Placements& placements, const DeviceMesh& mesh);

// Whether a tensor of this shape can have these placements: the dims exist, and every rank gets elements. Five elements over
// four ranks are invalid: chunks of 2, 2, 1 leave the last rank empty.
bool is_valid(const Shape& shape, const Placements& placements, const DeviceMesh& mesh);

// Whether all ranks hold equally many elements along every dim.
bool is_even(const Shape& shape, const Placements& placements, const DeviceMesh& mesh);

// The largest shape on any rank. Placements must be valid.
Shape local_shape(const Shape& shape, const Placements& placements, const DeviceMesh& mesh);

std::int64_t element_count(const Shape& shape);

// All combinations of `choices` over the axes; the first axis varies slowest. Axes of size 1 are only replicated.
std::vector<Placements> combinations(const std::vector<Placement>& choices, const DeviceMesh& mesh);

}  // namespace ordercheck::placing
