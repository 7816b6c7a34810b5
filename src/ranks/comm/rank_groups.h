// Which process groups the ranks of a mesh have: what every world makes, whatever its ranks are.
#pragma once

#include <string>
#include <vector>

#include "stack/mesh.h"

namespace ordercheck::ranks {

// Ranks that differ along one axis, or several, only.
struct RankGroup {
  std::string name;
  std::vector<int> ranks;  // of the world, ascending
};

// A group for every axis of degree > 1 and every set of them, named as group_name() does, for ep and edp where experts are
// distributed, and "world" when there is more than one rank. In an order that is the same on every rank: ranks that make
// their groups one after the other do not wait for each other crosswise.
std::vector<RankGroup> groups_of_ranks(const Mesh& mesh);

}  // namespace ordercheck::ranks
