// Where the elements of a tensor are on a mesh: for each mesh axis replicated, sharded along a dim, or partial sums.
//
// A shard is that of torch.chunk: ceil(size / ranks) elements a rank, the last ranks fewer. Where two axes shard one dim, the axis
// that stands first in the mesh splits it first. Source of the algebra: PyTorch's DTensor. Plain values.
#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace ordercheck::placing {

using Shape = std::vector<std::int64_t>;

// Of one mesh axis.
struct Placement {
  enum class Kind { replicate, shard, partial };
  Kind kind = Kind::replicate;
  int dim = 0;  // of the tensor; 0 unless it is a shard
  friend auto operator<=>(const Placement&, const Placement&) = default;
};

inline Placement replicate() { return {}; }
inline Placement shard(int dim) { return {.kind = Placement::Kind::shard, .dim = dim}; }
inline Placement partial() { return {.kind = Placement::Kind::partial}; }

// One a mesh axis, in the mesh's order.
using Placements = std::vector<Placement>;

struct MeshAxis {
  std::string name;  // "dp_shard"
  int size = 1;
  friend bool operator==(const MeshAxis&, const MeshAxis&) = default;
};

using DeviceMesh = std::vector<MeshAxis>;
std::int64_t rank_count(const DeviceMesh& mesh);

// "R", "S(1)", "P"; of a whole mesh "S(0)R". Also the order of plans of equal cost: that of these names.
std::string name_of(const Placement& placement);
std::string name_of(const Placements& placements);

bool has_partial(const Placements& placements);

// Every number of elements along `dim` that some rank holds, 0 among them where some rank holds none.
std::set<std::int64_t> local_sizes(std::int64_t size, int dim, const Placements& placements, const DeviceMesh& mesh);

// A tensor of this shape can be placed so: dims exist, and no rank is left without elements. Five elements over four ranks leave the
// last rank none (2, 2, 1, 0): not valid here, though five are more than four.
bool is_valid(const Shape& shape, const Placements& placements, const DeviceMesh& mesh);

// All ranks hold equally many elements along every dim.
bool is_even(const Shape& shape, const Placements& placements, const DeviceMesh& mesh);

// The largest shape that a rank holds. Expects valid placements.
Shape local_shape(const Shape& shape, const Placements& placements, const DeviceMesh& mesh);

std::int64_t element_count(const Shape& shape);

// Every combination over the axes of `choices`, those of the first axis slowest. Axes of size 1 are replicated only.
std::vector<Placements> combinations(const std::vector<Placement>& choices, const DeviceMesh& mesh);

}  // namespace ordercheck::placing
