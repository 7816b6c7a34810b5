#include "stack/mesh.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "base/text.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

int saturating_product(int a, int b) {
  const long long product = static_cast<long long>(a) * b;
  return static_cast<int>(std::min<long long>(product, std::numeric_limits<int>::max()));
}

constexpr std::string_view kExperts = "ep", kSameExperts = "edp";

std::vector<std::string> carved_axes(const Mesh& mesh) {
  if (mesh.etp > 1) return {"dp_shard", "cp"};
  return {"dp_shard", "cp", "tp"};
}

// The coordinate along several axes flattened to one.
int coordinate_along(const Mesh& mesh, int rank, const std::vector<std::string>& axes) {
  const std::array<int, 5> place = coordinates(mesh, rank);
  int along = 0;
  for (std::size_t axis = 0; axis < kMeshAxes.size(); ++axis)
    if (contains(axes, kMeshAxes[axis])) along = along * mesh.degrees[axis] + place[axis];
  return along;
}

int product_of(const Mesh& mesh, const std::vector<std::string>& axes) {
  int product = 1;
  for (std::size_t axis = 0; axis < kMeshAxes.size(); ++axis)
    if (contains(axes, kMeshAxes[axis])) product = saturating_product(product, mesh.degrees[axis]);
  return product;
}

// Rank distance of adjacent coordinates on each axis.
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

MeshShare mesh_share_of(const Item& item) {
  MeshShare share;
  const TransformInfo* info = find_transform(item.name);
  if (info == nullptr) return share;
  assert(info->axes.size() <= share.axes.size() && "hsdp sizes two axes, and none sizes more");
  for (std::size_t i = 0; i < info->axes.size(); ++i)
    share.axes[i] = static_cast<int>(std::ranges::find(kMeshAxes, info->axes[i]) - kMeshAxes.begin());
  for (const OptionInfo& option : info->options) {
    if (option.axis.empty()) continue;
    const auto axis = std::ranges::find(kMeshAxes, option.axis) - kMeshAxes.begin();
    share.stated[static_cast<std::size_t>(axis)] = count_option(item, option.name, 1);
  }
  share.experts = info->name == kExperts;
  if (share.experts) share.etp = count_option(item, "etp", 1);
  return share;
}

void multiply(Mesh& mesh, const MeshShare& share, std::span<const Degree> degrees) {
  for (std::size_t i = 0; i < share.axes.size() && share.axes[i] >= 0; ++i) {
    int& product = mesh.degrees[static_cast<std::size_t>(share.axes[i])];
    product = saturating_product(product, (i < degrees.size() ? degrees[i] : kMissingDegree).value);
  }
  for (std::size_t axis = 0; axis < share.stated.size(); ++axis)
    mesh.degrees[axis] = saturating_product(mesh.degrees[axis], share.stated[axis]);
  if (share.experts) {
    mesh.ep = saturating_product(mesh.ep, (degrees.empty() ? kMissingDegree : degrees.front()).value);
    mesh.etp = std::max(mesh.etp, share.etp);
  }
}

Mesh mesh_of(const Stack& stack) {
  Mesh mesh;
  for (const Item& item : stack.items) multiply(mesh, mesh_share_of(item), item.degrees);
  return mesh;
}

int world_size(const Mesh& mesh) {
  int ranks = 1;
  for (const int degree : mesh.degrees) ranks = saturating_product(ranks, degree);
  return ranks;
}

std::vector<int> every_rank(const Mesh& mesh) {
  std::vector<int> ranks(world_size(mesh));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

int degree_of(const Mesh& mesh, std::string_view axis) {
  if (axis == kExperts) return mesh.ep;
  if (axis == kSameExperts) return std::max(1, product_of(mesh, carved_axes(mesh)) / mesh.ep);
  return product_of(mesh, split(axis, '+'));
}

bool carves_evenly(const Mesh& mesh) { return product_of(mesh, carved_axes(mesh)) % mesh.ep == 0; }

int coordinate_of(const Mesh& mesh, int rank, std::string_view axis) {
  if (axis == kExperts) return coordinate_along(mesh, rank, carved_axes(mesh)) % mesh.ep;
  if (axis == kSameExperts) return coordinate_along(mesh, rank, carved_axes(mesh)) / mesh.ep;
  return coordinate_along(mesh, rank, split(axis, '+'));
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

std::vector<int> ranks_along(const Mesh& mesh, int rank, std::string_view axis) {
  if (axis != kExperts && axis != kSameExperts) return group_of(mesh, rank, split(axis, '+'));
  // Of the ranks that ep is carved from, keep those with the same coordinate on the other factor.
  const std::string_view other = axis == kExperts ? kSameExperts : kExperts;
  std::vector<int> ranks = group_of(mesh, rank, carved_axes(mesh));
  std::erase_if(ranks, [&](int r) { return coordinate_of(mesh, r, other) != coordinate_of(mesh, rank, other); });
  return ranks;
}

std::string with_sequence_axes(const Mesh& mesh, const std::string& axis) {
  std::string joined = axis;
  for (std::size_t i = 0; i < kMeshAxes.size(); ++i)
    if (kSplitAlongAxis[i] == "sequence" && mesh.degrees[i] > 1) joined += fmt::format("+{}", kMeshAxes[i]);
  return joined;
}

}  // namespace ordercheck
