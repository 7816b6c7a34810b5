#include "graph/placement.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include <fmt/format.h>

namespace ordercheck::placing {
namespace {

std::int64_t ceil_div(std::int64_t size, std::int64_t parts) { return (size + parts - 1) / parts; }

// The chunk sizes of one axis for `size` elements.
std::set<std::int64_t> chunks(std::int64_t size, int ranks) {
  std::set<std::int64_t> sizes;
  const std::int64_t chunk = ceil_div(size, ranks);
  for (int rank = 0; rank < ranks; ++rank) sizes.insert(std::clamp<std::int64_t>(size - rank * chunk, 0, chunk));
  return sizes;
}

bool shards(const Placement& placement, int dim) { return placement.kind == Placement::Kind::shard && placement.dim == dim; }

}  // namespace

std::int64_t rank_count(const DeviceMesh& mesh) {
  std::int64_t count = 1;
  for (const MeshAxis& axis : mesh) count *= axis.size;
  return count;
}

std::string name_of(const Placement& placement) {
  if (placement.kind == Placement::Kind::shard) return fmt::format("S({})", placement.dim);
  return placement.kind == Placement::Kind::replicate ? "R" : "P";
}

std::string name_of(const Placements& placements) {
  std::string name;
  for (const Placement& each : placements) name += name_of(each);
  return name;
}

bool has_partial(const Placements& placements) {
  return std::ranges::any_of(placements, [](const Placement& each) { return each.kind == Placement::Kind::partial; });
}

std::set<std::int64_t> local_sizes(std::int64_t size, int dim, const Placements& placements, const DeviceMesh& mesh) {
  std::set<std::int64_t> sizes{size};
  for (std::size_t axis = 0; axis < mesh.size(); ++axis) {
    if (!shards(placements[axis], dim)) continue;
    std::set<std::int64_t> split;
    // The next axis splits every chunk of the axes before it.
    for (const std::int64_t each : sizes) split.merge(chunks(each, mesh[axis].size));
    sizes = std::move(split);
  }
  return sizes;
}

bool is_valid(const Shape& shape, const Placements& placements, const DeviceMesh& mesh) {
  if (placements.size() != mesh.size()) return false;
  for (const Placement& each : placements) {
    if (each.kind != Placement::Kind::shard) continue;
    if (each.dim < 0 || each.dim >= static_cast<int>(shape.size())) return false;
    if (local_sizes(shape[each.dim], each.dim, placements, mesh).contains(0)) return false;
  }
  return true;
}

bool is_even(const Shape& shape, const Placements& placements, const DeviceMesh& mesh) {
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    if (local_sizes(shape[dim], static_cast<int>(dim), placements, mesh).size() > 1) return false;
  }
  return true;
}

Shape local_shape(const Shape& shape, const Placements& placements, const DeviceMesh& mesh) {
  Shape local = shape;
  for (std::size_t axis = 0; axis < mesh.size(); ++axis) {
    if (placements[axis].kind != Placement::Kind::shard) continue;
    std::int64_t& size = local[placements[axis].dim];
    // The first rank has the largest chunk.
    size = ceil_div(size, mesh[axis].size);
  }
  return local;
}

std::int64_t element_count(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::vector<Placements> combinations(const std::vector<Placement>& choices, const DeviceMesh& mesh) {
  std::vector<Placements> made{{}};
  for (const MeshAxis& axis : mesh) {
    std::vector<Placements> longer;
    for (const Placements& start : made) {
      for (const Placement& choice : axis.size == 1 ? std::vector{replicate()} : choices) {
        longer.push_back(start);
        longer.back().push_back(choice);
      }
    }
    made = std::move(longer);
  }
  return made;
}

}  // namespace ordercheck::placing
