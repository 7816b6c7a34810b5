#include "native/world/rank_groups.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

namespace ordercheck::ranks {
namespace {

// Returns every set of axes of degree > 1 except the full set, which is the world, plus the expert axes.
std::vector<std::string> axes_to_talk_along(const Mesh& mesh) {
  std::vector<std::string> names{""};
  for (const std::string_view axis : kMeshAxes) {
    if (degree_of(mesh, axis) == 1) continue;
    for (std::size_t i = 0, before = names.size(); i < before; ++i)
      names.push_back(names[i].empty() ? std::string(axis) : fmt::format("{}+{}", names[i], axis));
  }
  if (names.size() > 2) names.pop_back();
  names.erase(names.begin());
  // With ep=1, every rank holds the same experts, and "edp" still shards or reduces them.
  for (const char* axis : {"ep", "edp"})
    if (carves_evenly(mesh) && degree_of(mesh, axis) > 1) names.push_back(axis);
  return names;
}

}  // namespace

std::vector<RankGroup> groups_of_ranks(const Mesh& mesh) {
  std::vector<RankGroup> groups;
  const int size = world_size(mesh);
  for (const std::string& axis : axes_to_talk_along(mesh)) {
    for (int rank = 0; rank < size; ++rank) {
      std::vector<int> members = ranks_along(mesh, rank, axis);
      if (members.front() == rank) groups.push_back({.name = axis, .ranks = std::move(members)});
    }
  }
  if (size > 1) groups.push_back({.name = "world", .ranks = every_rank(mesh)});
  return groups;
}

void RegisteredGroups::add(const std::string& name, int group_rank, int size, c10::DeviceType device,
                           const c10::intrusive_ptr<c10d::Backend>& backend) {
  // c10d requires a store per group; our backends never use it.
  auto group = c10::make_intrusive<c10d::ProcessGroup>(c10::make_intrusive<c10d::HashStore>(), group_rank, size);
  group->setBackend(device, c10d::ProcessGroup::BackendType::CUSTOM, backend);
  group->setDefaultBackend(c10d::ProcessGroup::BackendType::CUSTOM);
  group->setGroupName(name);
  c10d::register_process_group(name, group);
  groups_.push_back(group);  // the registry does not keep it alive
}

RegisteredGroups::~RegisteredGroups() {
  for (const auto& group : groups_) c10d::unregister_process_group(group->getGroupName());
}

}  // namespace ordercheck::ranks
