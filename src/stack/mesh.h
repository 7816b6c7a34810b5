// Defines the device mesh of a stack. Axes are always [pp, dp_replicate, dp_shard, cp, tp], whatever the stack's order. The
// last axis varies fastest over ranks, as in DeviceMesh. `ep` is carved from dp_shard * cp * tp and does not add ranks.
//
// Functions that take an axis name accept
//   tp              one of the five
//   dp_shard+cp     several flattened to one, in mesh order
//   ep              ranks with different experts: consecutive in dp_shard * cp * tp, or in dp_shard * cp if tensor parallelism
//                   splits the experts too (ep:etp)
//   edp             ranks with the same experts: the other factor of that product
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stack/stack.h"

namespace ordercheck {

inline constexpr std::array<std::string_view, 5> kMeshAxes{"pp", "dp_replicate", "dp_shard", "cp", "tp"};

// What each mesh axis splits, in the order of kMeshAxes. Ranks along a batch or sequence axis have different tokens; ranks
// along the layers axis are pipeline stages.
inline constexpr std::array<std::string_view, 5> kSplitAlongAxis{"layers", "batch", "batch", "sequence", "tensors"};

// The degree of an item that states none; printing leaves it out.
inline constexpr Degree kMissingDegree{2};

struct Mesh {
  std::array<int, 5> degrees{1, 1, 1, 1, 1};  // in the order of kMeshAxes
  int ep = 1;
  int etp = 1;  // 1, or the degree of tp
  friend auto operator<=>(const Mesh&, const Mesh&) = default;
};

// The mesh of a stack. Two items that size the same axis multiply (a rule flags them). A name outside the catalogue (a test's
// transform) sizes no axis. Here and in world_size(), products saturate at INT_MAX, so that no input can overflow.
Mesh mesh_of(const Stack& stack);

// How one item of a stack sizes the mesh, apart from its degrees. Computed once per item, because many stacks share items.
struct MeshShare {
  std::array<int, 2> axes{-1, -1};           // indices in kMeshAxes, outermost first; -1 if unused
  std::array<int, 5> stated{1, 1, 1, 1, 1};  // degrees set by options, in the order of kMeshAxes
  bool experts = false;
  int etp = 1;
};
MeshShare mesh_share_of(const Item& item);
void multiply(Mesh& mesh, const MeshShare& share, std::span<const Degree> degrees);

int world_size(const Mesh& mesh);
std::vector<int> every_rank(const Mesh& mesh);
int degree_of(const Mesh& mesh, std::string_view axis);  // 1 if the mesh does not size the axis

// Whether ep divides the ranks it is carved from. If not, there are no ep and edp groups.
bool carves_evenly(const Mesh& mesh);

// The rank's coordinate along an axis, 0 if the mesh does not size it. Asserts that the rank is in the mesh.
int coordinate_of(const Mesh& mesh, int rank, std::string_view axis);

// The rank's coordinate on each axis, in the order of kMeshAxes. Asserts that the rank is in the mesh.
std::array<int, 5> coordinates(const Mesh& mesh, int rank);

// The group name in records: "tp", "dp_shard+cp"; "world" if these are all of several axes of the mesh. Omits axes of degree 1;
// "" if all are. `axes` must be in the order of kMeshAxes.
std::string group_name(const Mesh& mesh, const std::vector<std::string>& axes);

// The ranks that differ from `rank` on the named axes only, `rank` included, in mesh order.
std::vector<int> group_of(const Mesh& mesh, int rank, const std::vector<std::string>& axes);

// The ranks that differ from `rank` on one axis only, which may be ep, edp or joined axes.
std::vector<int> ranks_along(const Mesh& mesh, int rank, std::string_view axis);

// Joins `axis` with the axes that split the sequence. Their ranks have different tokens, so gradient reductions over one run
// over both. Returns `axis` if the sequence is not split.
std::string with_sequence_axes(const Mesh& mesh, const std::string& axis);

}  // namespace ordercheck
