#include "stack/mesh.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <limits>

#include "base/text.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

int saturating_product(int a, int b) {
  const long long product = static_cast<long long>(a) * b;
  return static_cast<int>(std::min<long long>(product, std::numeric_limits<int>::max()));
}

// Ranks between neighbours on each axis.
std::array<int, 5> strides(const Mesh& mesh) {
  std::array<int, 5> stride{};
  int ranks = 1;
  for (std::size_t axis = kMeshAxes.size(); axis-- > 0;) {
    stride[axis] = ranks;
    ranks = saturating_product(ranks, mesh.degrees[axis]);
  }
  return stride;
}

}  // namespace

Mesh mesh_of(const Stack& stack) {
  Mesh mesh;
  for (const Item& item : stack.items) {
    const TransformInfo* info = find_transform(item.name);
    if (info == nullptr) continue;
    for (std::size_t i = 0; i < info->axes.size(); ++i) {
      const auto axis = std::ranges::find(kMeshAxes, info->axes[i]) - kMeshAxes.begin();
      const Degree degree = i < item.degrees.size() ? item.degrees[i] : kMissingDegree;
      mesh.degrees[axis] = saturating_product(mesh.degrees[axis], degree.value);
    }
  }
  return mesh;
}

int world_size(const Mesh& mesh) {
  int ranks = 1;
  for (const int degree : mesh.degrees) ranks = saturating_product(ranks, degree);
  return ranks;
}

int degree_of(const Mesh& mesh, std::string_view axis) {
  const auto found = std::ranges::find(kMeshAxes, axis);
  return found == kMeshAxes.end() ? 1 : mesh.degrees[found - kMeshAxes.begin()];
}

std::array<int, 5> coordinates(const Mesh& mesh, int rank) {
  assert(rank >= 0 && rank < world_size(mesh) && "a rank of the mesh");
  std::array<int, 5> place{};
  const std::array<int, 5> stride = strides(mesh);
  for (std::size_t axis = 0; axis < place.size(); ++axis) place[axis] = rank / stride[axis] % mesh.degrees[axis];
  return place;
}

std::string group_name(const Mesh& mesh, const std::vector<std::string>& axes) {
  std::vector<std::string> wide;
  std::ranges::copy_if(axes, std::back_inserter(wide), [&](const std::string& axis) { return degree_of(mesh, axis) > 1; });
  const auto all = std::ranges::count_if(mesh.degrees, [](int degree) { return degree > 1; });
  return wide.size() > 1 && std::ssize(wide) == all ? "world" : join(wide, "+");
}

std::vector<int> group_of(const Mesh& mesh, int rank, const std::vector<std::string>& axes) {
  const std::array<int, 5> place = coordinates(mesh, rank), stride = strides(mesh);
  std::vector<int> group{rank};
  for (std::size_t axis = kMeshAxes.size(); axis-- > 0;) {
    if (!contains(axes, kMeshAxes[axis])) continue;
    std::vector<int> wider;
    for (int along = 0; along < mesh.degrees[axis]; ++along)
      for (const int member : group) wider.push_back(member + (along - place[axis]) * stride[axis]);
    group = std::move(wider);
  }
  return group;
}

}  // namespace ordercheck
