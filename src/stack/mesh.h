// The device mesh of a stack. Axes are always [pp, dp_replicate, dp_shard, cp, tp], whatever the stack's order; the
// last axis varies fastest over ranks, as in DeviceMesh. `ep` is carved from dp_shard * cp * tp and is no factor.
#pragma once

#include <array>
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
  friend auto operator<=>(const Mesh&, const Mesh&) = default;
};

// The mesh that a stack asks for. Two items that size the same axis multiply (a rule flags them); an item whose name the
// catalogue does not have (a transform of a test) sizes no axis. A product too large for an int is INT_MAX, here and in
// world_size(): no machine has such a mesh, and no text may overflow.
Mesh mesh_of(const Stack& stack);

int world_size(const Mesh& mesh);
int degree_of(const Mesh& mesh, std::string_view axis);  // 1 for an axis the mesh does not size

// Coordinate of a rank on each axis, in the order of kMeshAxes. Asserts that the mesh has this rank.
std::array<int, 5> coordinates(const Mesh& mesh, int rank);

// What records call the group over these axes, those of degree 1 left out: "tp", "dp_shard+cp"; "world" where they are all
// of several axes that the mesh has. Axes in the order of kMeshAxes; "" when each is of degree 1.
std::string group_name(const Mesh& mesh, const std::vector<std::string>& axes);

// The ranks that differ from `rank` on the named axes only, in mesh order; `rank` itself among them.
std::vector<int> group_of(const Mesh& mesh, int rank, const std::vector<std::string>& axes);

}  // namespace ordercheck
