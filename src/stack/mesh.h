// The device mesh of a stack. Axes are always [pp, dp_replicate, dp_shard, cp, tp], whatever the stack's order; the
// last axis varies fastest over ranks, as in DeviceMesh. `ep` is carved from dp_shard * cp * tp and is no factor.
//
// Where a function takes the name of an axis, it may be
//   tp              one of the five
//   dp_shard+cp     several of them as one, in the order of the mesh
//   ep              the ranks that hold different experts, neighbours in dp_shard * cp * tp; with experts that are split by
//                   tensor parallelism too (ep:etp), in dp_shard * cp
//   edp             the ranks that hold the same experts: what ep leaves of that product.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stack/stack.h"

namespace ordercheck {

inline constexpr std::array<std::string_view, 5> kMeshAxes{"pp", "dp_replicate", "dp_shard", "cp", "tp"};

// What the ranks along each axis split among them, in the order of kMeshAxes. Who trains needs no more of an axis: ranks
// that split the batch or its sequences have other tokens, those that split layers run one behind the other.
inline constexpr std::array<std::string_view, 5> kSplitAlongAxis{"layers", "batch", "batch", "sequence", "tensors"};

// A missing degree prints as missing and runs as this.
inline constexpr Degree kMissingDegree{2};

struct Mesh {
  std::array<int, 5> degrees{1, 1, 1, 1, 1};  // in the order of kMeshAxes
  int ep = 1;
  int etp = 1;  // 1, or the degree of tp
  friend auto operator<=>(const Mesh&, const Mesh&) = default;
};

// The mesh that a stack asks for. Two items that size the same axis multiply (a rule flags them); an item whose name the
// catalogue does not have (a transform of a test) sizes no axis. A product too large for an int is INT_MAX, here and in
// world_size(): no machine has such a mesh, and no text may overflow.
Mesh mesh_of(const Stack& stack);

// What an item multiplies by its degrees; of a mesh of items, worked out once an item.
struct MeshShare {
  std::array<int, 2> axes{-1, -1};           // places in kMeshAxes, outermost first; -1 for none
  std::array<int, 5> stated{1, 1, 1, 1, 1};  // by its options, in the order of kMeshAxes
  bool experts = false;
  int etp = 1;
};
MeshShare mesh_share_of(const Item& item);
void multiply(Mesh& mesh, const MeshShare& share, std::span<const Degree> degrees);

int world_size(const Mesh& mesh);
std::vector<int> every_rank(const Mesh& mesh);
int degree_of(const Mesh& mesh, std::string_view axis);  // 1 for an axis the mesh does not size

// Whether ep divides what it is carved from; where it does not, there are no groups of ep and edp.
bool carves_evenly(const Mesh& mesh);

// The coordinate of a rank along an axis, 0 on one that the mesh does not size. Asserts that the mesh has this rank.
int coordinate_of(const Mesh& mesh, int rank, std::string_view axis);

// Coordinate of a rank on each axis, in the order of kMeshAxes. Asserts that the mesh has this rank.
std::array<int, 5> coordinates(const Mesh& mesh, int rank);

// What records call the group over these axes, those of degree 1 left out: "tp", "dp_shard+cp"; "world" where they are all
// of several axes that the mesh has. Axes in the order of kMeshAxes; "" when each is of degree 1.
std::string group_name(const Mesh& mesh, const std::vector<std::string>& axes);

// The ranks that differ from `rank` on the named axes only, in mesh order; `rank` itself among them.
std::vector<int> group_of(const Mesh& mesh, int rank, const std::vector<std::string>& axes);

// The same along one axis, whatever its name.
std::vector<int> ranks_along(const Mesh& mesh, int rank, std::string_view axis);

// The axis that splits what `axis` splits, and the sequence: its ranks have other tokens, so what sums gradients over one sums
// them over both. `axis` itself where nothing splits the sequence.
std::string with_sequence_axes(const Mesh& mesh, const std::string& axis);

}  // namespace ordercheck
