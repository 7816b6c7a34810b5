// Ranks for a mesh that a plan is for.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "graph/placement.h"
#include "unit/native/world/on_ranks.h"

namespace ordercheck::ranks {

inline Mesh ranks_of(const placing::DeviceMesh& mesh) {
  std::vector<std::pair<std::string, int>> axes;
  for (const placing::MeshAxis& axis : mesh) axes.emplace_back(axis.name, axis.size);
  return mesh_with(axes);
}

}  // namespace ordercheck::ranks
